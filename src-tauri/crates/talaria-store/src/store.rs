//! The handle on an open database.

use crate::error::{ReadOnlyReason, StoreError};
use crate::open::{self, Opened};
use crate::process::Owner;
use crate::read::Readers;
use crate::tx::{Reader, Tx};
use crate::write::{Pending, Writer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a deleted session can be restored, unless the options say otherwise.
const UNDO_DELETE: Duration = Duration::from_secs(10);

/// When a commit counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// In the log: survives `kill -9`.
    #[default]
    Normal,
    /// On the disk: survives loss of power too, and costs a disk flush a commit.
    Full,
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Durability of a commit.
    pub synchronous: Synchronous,
    /// How long a write tries to get the lock that another program holds before it gives up.
    pub patience: Duration,
    /// How long a deleted session can be restored before it is gone for good.
    pub undo_delete: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            synchronous: Synchronous::Normal,
            patience: Duration::from_secs(15),
            undo_delete: UNDO_DELETE,
        }
    }
}

/// An open database. Clones share it; the last one to go writes what waits and closes the file.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    owner: Owner,
    read_only: Option<ReadOnlyReason>,
    readers: Arc<Readers>,
    writer: Option<Writer>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.inner.path)
            .field("read_only", &self.inner.read_only)
            .finish()
    }
}

impl Store {
    /// Opens or creates the database with default options. Blocks for a few file operations.
    ///
    /// A database of a newer program, or one that cannot be written, opens read-only: see [`Store::read_only`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, &StoreOptions::default())
    }

    /// As [`Store::open`], with options.
    pub fn open_with(path: impl AsRef<Path>, options: &StoreOptions) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let owner = Owner::this_process();
        let (read_only, access, writer) = match open::database(&path, options)? {
            Opened::ReadWrite(conn) => {
                let writer = Writer::start(conn, path.clone(), owner.clone(), options.clone())?;
                (None, open::ReadAccess::Shared, Some(writer))
            }
            Opened::ReadOnly { reason, access } => (Some(reason), access, None),
        };
        let readers = Arc::new(Readers::new(path.clone(), owner.clone(), access));
        Ok(Self {
            inner: Arc::new(Inner {
                path,
                owner,
                read_only,
                readers,
                writer,
            }),
        })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Who this store is to others that share the database.
    pub fn owner(&self) -> &Owner {
        &self.inner.owner
    }

    /// Why nothing can be written, if so.
    pub fn read_only(&self) -> Option<&ReadOnlyReason> {
        self.inner.read_only.as_ref()
    }

    /// Runs a closure in a write transaction and resolves when it is committed. An error of the closure undoes it.
    /// The write happens even if the future is dropped after its first poll.
    pub async fn write<T, F>(&self, closure: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        self.write_later(closure).await
    }

    /// Hands a closure over and goes on; order among writes is kept. When 1,024 of them wait, this waits for the disk.
    pub fn write_later<T, F>(&self, closure: F) -> Pending<T>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        match (&self.inner.writer, &self.inner.read_only) {
            (Some(writer), _) => writer.submit(closure),
            (None, Some(reason)) => Pending::failed(StoreError::ReadOnly {
                path: self.inner.path.clone(),
                reason: reason.clone(),
            }),
            (None, None) => Pending::failed(StoreError::Closed),
        }
    }

    /// Runs a closure on one consistent view of the database, on a thread for blocking work.
    pub async fn read<T, F>(&self, closure: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Reader<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        Arc::clone(&self.inner.readers).read(closure).await
    }

    /// As [`Store::read`], on this thread. Not for use on an async worker.
    pub fn read_here<T>(&self, closure: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.inner.readers.read_here(closure)
    }

    /// Writes what waits, gives back this store's leases, folds the log into the file and refuses all further work.
    pub async fn close(&self) {
        if let Some(writer) = &self.inner.writer {
            // An error means that the thread has ended already.
            drop(writer.close().await);
        }
        self.inner.readers.close();
    }
}

#[cfg(test)]
mod tests;
