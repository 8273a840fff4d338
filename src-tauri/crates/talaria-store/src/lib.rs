//! SQLite: sessions, messages, leases; migrations beside their tables.
