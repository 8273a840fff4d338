//! Sessions, turns, prompt building, history repair.
