//! The one thread that writes. Closures wait in a bounded queue; those that wait together share one commit.

use crate::error::StoreError;
use crate::open;
use crate::process::Owner;
use crate::store::{StoreOptions, Synchronous};
use crate::time;
use crate::tx::{Tx, WriterState};
use rusqlite::Connection;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Closures that may wait. When it is full the caller's thread waits for the disk: nothing is dropped.
const QUEUE: usize = 1024;
/// Closures that share a commit at most, so that the first of them does not wait for long.
const GROUP: usize = 64;
/// Writes between two checkpoints.
const CHECKPOINT_EVERY: u32 = 50;

/// The answer to a write that was handed over. Dropping it does not undo the write.
#[must_use = "await it, or drop it on purpose: the write happens anyway"]
#[derive(Debug)]
pub struct Pending<T> {
    answer: oneshot::Receiver<Result<T, StoreError>>,
}

impl<T> Pending<T> {
    /// Waits on this thread. Not for use on an async worker.
    pub fn wait(self) -> Result<T, StoreError> {
        self.answer.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }

    /// An answer that is already known.
    pub(crate) fn failed(error: StoreError) -> Self {
        let (sender, answer) = oneshot::channel();
        // The receiver is right here, so this cannot fail.
        drop(sender.send(Err(error)));
        Self { answer }
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer)
            .poll(context)
            .map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
    }
}

/// A closure with its result, without its type.
trait Job: Send {
    fn run(&mut self, tx: &Tx<'_>) -> Result<(), StoreError>;
    /// Called after the commit, or with the reason why there was none.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Closure<F, T> {
    closure: Option<F>,
    result: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<F, T> Job for Closure<F, T>
where
    F: FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> Result<(), StoreError> {
        let Some(closure) = self.closure.take() else {
            return Ok(());
        };
        let result = catch_unwind(AssertUnwindSafe(|| closure(tx))).unwrap_or(Err(StoreError::Panicked));
        self.result = Some(result?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Closure { result, answer, .. } = *self;
        // Whoever asked may have stopped waiting; the write stands.
        drop(answer.send(committed.and_then(|()| result.ok_or(StoreError::Closed))));
    }
}

enum Order {
    Run(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

/// The sending side; dropping it ends the thread once everything that waits is written.
pub(crate) struct Writer {
    orders: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(
        conn: Connection,
        path: PathBuf,
        owner: Owner,
        options: StoreOptions,
    ) -> Result<Self, StoreError> {
        let (sender, receiver) = sync_channel(QUEUE);
        let at = path.clone();
        let thread = std::thread::Builder::new()
            .name("talaria-store".to_owned())
            .spawn(move || {
                let thread = Thread {
                    conn,
                    owner,
                    state: WriterState::new(options.undo_delete),
                    checkpoints: Checkpoints::new(path.clone(), options.synchronous),
                    path,
                    patience: options.patience,
                    writes: 0,
                    sweep_at: None,
                };
                thread.run(&receiver);
            })
            .map_err(|source| StoreError::Unwritable {
                path: at,
                source: std::sync::Arc::new(source),
            })?;
        Ok(Self {
            orders: Some(sender),
            thread: Some(thread),
        })
    }

    pub(crate) fn submit<T, F>(&self, closure: F) -> Pending<T>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        let job = Box::new(Closure {
            closure: Some(closure),
            result: None,
            answer: sender,
        });
        if let Some(orders) = &self.orders {
            // A failed send drops the job and with it the answer's sender, which reads as "closed".
            drop(orders.send(Order::Run(job)));
        }
        Pending { answer }
    }

    /// Resolves when everything handed over so far is written and the log is folded into the file.
    pub(crate) fn close(&self) -> oneshot::Receiver<()> {
        let (sender, done) = oneshot::channel();
        if let Some(orders) = &self.orders {
            drop(orders.send(Order::Close(sender)));
        }
        done
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writing thread panicked");
        }
    }
}

struct Thread {
    conn: Connection,
    path: PathBuf,
    owner: Owner,
    state: WriterState,
    checkpoints: Checkpoints,
    patience: Duration,
    writes: u32,
    sweep_at: Option<Instant>,
}

impl Thread {
    fn run(mut self, orders: &Receiver<Order>) {
        self.sweep();
        let mut closing = None;
        while closing.is_none() {
            let first = match self.sweep_at {
                None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => orders.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            let mut group = Vec::new();
            let mut next = match first {
                Ok(order) => Some(order),
                Err(RecvTimeoutError::Timeout) => {
                    self.sweep();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            while let Some(order) = next.take() {
                match order {
                    Order::Run(job) => group.push(job),
                    Order::Close(done) => {
                        closing = Some(done);
                        break;
                    }
                }
                if group.len() < GROUP {
                    next = orders.try_recv().ok();
                }
            }
            self.write(group);
        }
        self.finish();
        if let Some(done) = closing
            && done.send(()).is_err()
        {
            tracing::debug!("nobody waited for the store to close");
        }
    }

    fn write(&mut self, group: Vec<Box<dyn Job>>) {
        let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
        for (job, outcome) in self.commit(group) {
            job.answer(outcome.map_err(|error| error.at(&self.path)));
        }
        if self.state.deleted.take() {
            // A little more than the undo lasts, so that the person who is just in time wins.
            self.sweep_at
                .get_or_insert(Instant::now() + self.state.undo_delete.mul_f32(1.1));
        }
        self.writes += count;
        if self.writes >= CHECKPOINT_EVERY {
            self.writes = 0;
            self.checkpoints.ask();
        }
    }

    /// Runs a group in one transaction. A job that fails undoes itself only.
    fn commit(&self, group: Vec<Box<dyn Job>>) -> Vec<(Box<dyn Job>, Result<(), StoreError>)> {
        if group.is_empty() {
            return Vec::new();
        }
        if let Err(error) = self.retried("BEGIN IMMEDIATE") {
            return group.into_iter().map(|job| (job, Err(error.clone()))).collect();
        }
        let tx = Tx::new(&self.conn, &self.owner, &self.state);
        let shared = group.len() > 1;
        let mut done = Vec::with_capacity(group.len());
        let mut lost = None;
        for mut job in group {
            if let Some(error) = &lost {
                done.push((job, Err(StoreError::clone(error))));
                continue;
            }
            let outcome = if shared {
                self.in_savepoint(&tx, job.as_mut())
            } else {
                job.run(&tx)
            };
            // After a full disk or a failing one SQLite has rolled back everything, earlier jobs included.
            if self.conn.is_autocommit() {
                lost = outcome.as_ref().err().cloned();
            }
            done.push((job, outcome));
        }
        let committed = match lost {
            Some(error) => Err(error),
            None if done.iter().all(|(_, outcome)| outcome.is_err()) => self.execute("ROLLBACK"),
            None => self.retried("COMMIT"),
        };
        if let Err(error) = committed {
            if !self.conn.is_autocommit()
                && let Err(error) = self.execute("ROLLBACK")
            {
                tracing::error!(%error, "cannot roll back");
            }
            for (_, outcome) in &mut done {
                if outcome.is_ok() {
                    *outcome = Err(error.clone());
                }
            }
        }
        done
    }

    fn in_savepoint(&self, tx: &Tx<'_>, job: &mut dyn Job) -> Result<(), StoreError> {
        self.execute("SAVEPOINT job")?;
        let outcome = job.run(tx);
        if self.conn.is_autocommit() {
            return outcome;
        }
        if outcome.is_err() {
            self.execute("ROLLBACK TO job")?;
        }
        self.execute("RELEASE job")?;
        outcome
    }

    fn execute(&self, sql: &str) -> Result<(), StoreError> {
        self.conn.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    fn retried(&self, sql: &str) -> Result<(), StoreError> {
        open::retried(self.patience, || self.execute(sql))
    }

    /// Removes sessions whose undo time is over and plans the next look.
    fn sweep(&mut self) {
        self.sweep_at = None;
        let now = time::unix_now();
        let undo = self.state.undo_delete;
        let tx = Tx::new(&self.conn, &self.owner, &self.state);
        let next = match tx.oldest_delete() {
            Ok(Some(oldest)) if oldest + undo.as_secs_f64() <= now => self.retried("BEGIN IMMEDIATE").and_then(|()| {
                let swept = tx
                    .sweep_deleted(now - undo.as_secs_f64())
                    .and_then(|_| tx.oldest_delete());
                self.execute(if swept.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
                swept
            }),
            unswept => unswept,
        };
        match next {
            Ok(None) => {}
            Ok(Some(_)) => self.sweep_at = Some(Instant::now() + undo.mul_f32(1.1)),
            Err(error) => tracing::warn!(%error, "cannot remove deleted sessions; the next start tries again"),
        }
    }

    fn finish(&mut self) {
        self.checkpoints.stop();
        let tx = Tx::new(&self.conn, &self.owner, &self.state);
        if let Err(error) = tx.release_own_leases() {
            tracing::debug!(%error, "leases stay; they end with this process");
        }
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::debug!(%error, "the write-ahead log stays; the next start reads it");
        }
    }
}

/// Folds the log into the file beside the writer: a checkpoint waits for the disk, a write must not wait for it.
struct Checkpoints {
    path: PathBuf,
    synchronous: Synchronous,
    running: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Checkpoints {
    fn new(path: PathBuf, synchronous: Synchronous) -> Self {
        Self {
            path,
            synchronous,
            running: None,
        }
    }

    fn ask(&mut self) {
        if self.running.is_none() {
            let (sender, asked) = sync_channel(1);
            let (path, synchronous) = (self.path.clone(), self.synchronous);
            let started = std::thread::Builder::new()
                .name("talaria-checkpoint".to_owned())
                .spawn(move || checkpoint_when_asked(&path, synchronous, &asked));
            match started {
                Ok(thread) => self.running = Some((sender, thread)),
                Err(error) => tracing::warn!(%error, "cannot start the checkpoint thread"),
            }
        }
        if let Some((sender, _)) = &self.running {
            match sender.try_send(()) {
                // One is asked for already, which will cover this too.
                Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
            }
        }
    }

    fn stop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            drop(thread.join());
        }
    }
}

fn checkpoint_when_asked(path: &Path, synchronous: Synchronous, asked: &Receiver<()>) {
    let conn = match open::checkpointer(path, synchronous) {
        Ok(conn) => conn,
        Err(error) => {
            tracing::warn!(%error, "no checkpoints before the store is closed");
            return;
        }
    };
    while asked.recv().is_ok() {
        if let Err(error) = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
            tracing::debug!(%error, "checkpoint put off");
        }
    }
}
