//! Tool terminal.
