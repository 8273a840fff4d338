//! A point at which a script waits until the test lets it go on.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const FILE_POLL: Duration = Duration::from_millis(5);

/// A gate. Clones are the same gate; once open it stays open.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    reached: CancellationToken,
    opened: CancellationToken,
    file: Option<PathBuf>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// A gate that another process opens by creating `file`. When it is reached, `file` with `.reached` appended is made.
    pub fn at_file(file: impl Into<PathBuf>) -> Self {
        let inner = Inner {
            file: Some(file.into()),
            ..Inner::default()
        };
        Self { inner: Arc::new(inner) }
    }

    /// Lets everyone through, now and later.
    pub fn open(&self) {
        self.inner.opened.cancel();
    }

    /// Waits until somebody stands before the gate (or has passed it).
    pub async fn reached(&self) {
        self.inner.reached.cancelled().await;
    }

    /// Whether somebody has come to the gate.
    pub fn is_reached(&self) -> bool {
        self.inner.reached.is_cancelled()
    }

    /// Stands before the gate until it is open.
    pub async fn pass(&self) {
        self.inner.reached.cancel();
        let Some(file) = &self.inner.file else {
            return self.inner.opened.cancelled().await;
        };
        let mut mark = file.clone().into_os_string();
        mark.push(".reached");
        tokio::fs::write(&mark, "")
            .await
            .expect("the mark of a gate can be written");
        while !self.inner.opened.is_cancelled() && !tokio::fs::try_exists(file).await.unwrap_or(false) {
            tokio::time::sleep(FILE_POLL).await;
        }
    }
}
