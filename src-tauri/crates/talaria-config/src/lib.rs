//! Layered settings, paths and secrets.
