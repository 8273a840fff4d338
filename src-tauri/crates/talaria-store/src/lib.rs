//! SQLite: what outlives a process. Sessions, messages with their transcript rows, usage, queues, drafts and the
//! leases by which several processes share one home.
//!
//! [`Store`] is a cheap handle. All writes of a process run on one thread that owns the writing connection
//! ([`Store::write`], [`Store::write_later`]); reads run on a few read-only connections ([`Store::read`]). A closure
//! gets a [`Tx`] or a [`Reader`], whose methods are declared beside each table in `table/`, with the table's SQL and
//! its migrations.
//!
//! A write is durable when its future resolves: in the write-ahead log, safe from `kill -9` (with
//! [`Synchronous::Full`] also from loss of power). This crate knows nothing of agents, models or windows.

mod blocked;
mod error;
mod open;
mod process;
mod read;
mod schema;
mod store;
mod table;
mod time;
mod tx;
mod write;

pub use blocked::LockHolder;
pub use error::{ReadOnlyReason, StoreError};
pub use process::Owner;
pub use schema::SCHEMA_VERSION;
pub use store::{Store, StoreOptions, Synchronous};
pub use table::leases::{Lease, LeaseHolder};
pub use table::messages::{Display, MessagePage, NewMessage, StoredMessage};
pub use table::session_model_usage::UsageTotals;
pub use table::session_queue::StoredQueue;
pub use table::sessions::{NewSession, SessionExport, SessionPage, StoredSession};
pub use tx::{Reader, Tx};
pub use write::Pending;
