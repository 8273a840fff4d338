//! The real program against a scripted model: what it prints, how it ends, and what it leaves behind.

mod asking;
mod home;
mod json;
mod model;
mod rig;
mod run;
mod serve;
mod sessions;
mod signals;
mod tools;
