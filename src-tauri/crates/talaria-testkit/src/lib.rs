//! Scripted model server, fake backend, temporary home; dev-dependency only.
