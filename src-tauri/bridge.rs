//! Carries frames between the webview and the runtime. No logic: what a frame means is decided on either side.

use futures::future::{BoxFuture, FutureExt};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use talaria_bridge::{Outbox, serve_peer};
use talaria_protocol::BootFailure;
use talaria_runtime::{Runtime, RuntimeOptions};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, State, WebviewWindow};
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

/// Frames that wait for the runtime; a window that sends more has to wait.
const INBOX: usize = 256;

/// The runtime as the shell knows it: still starting, running, or failed with a reason.
#[derive(Clone)]
enum Boot {
    Starting,
    Running(Arc<Runtime>),
    Failed(Box<BootFailure>),
}

/// State of the shell: the runtime and the windows that talk to it.
pub struct Core {
    options: RuntimeOptions,
    boot: watch::Sender<Boot>,
    peers: Mutex<HashMap<String, mpsc::Sender<String>>>,
    tasks: TaskTracker,
}

impl Core {
    /// A core that has not been started.
    pub fn new(options: RuntimeOptions) -> Self {
        Self {
            options,
            boot: watch::Sender::new(Boot::Starting),
            peers: Mutex::default(),
            tasks: TaskTracker::new(),
        }
    }

    async fn booted(&self) -> Boot {
        let mut boot = self.boot.subscribe();
        match boot.wait_for(|boot| !matches!(boot, Boot::Starting)).await {
            Ok(boot) => boot.clone(),
            // The sender lives as long as the program.
            Err(_) => Boot::Starting,
        }
    }
}

/// Starts the runtime beside the window, so that neither waits for the other.
pub fn start<R: tauri::Runtime>(app: &AppHandle<R>) {
    let options = app.state::<Core>().options.clone();
    boot(app, options);
}

fn boot<R: tauri::Runtime>(app: &AppHandle<R>, options: RuntimeOptions) {
    let core = app.state::<Core>();
    core.boot.send_replace(Boot::Starting);
    let handle = app.clone();
    core.tasks.spawn_on(
        async move {
            let outcome = match Runtime::start(options).await {
                Ok(runtime) => Boot::Running(runtime),
                Err(failure) => Boot::Failed(failure),
            };
            handle.state::<Core>().boot.send_replace(outcome);
        },
        tauri::async_runtime::handle().inner(),
    );
}

/// Stops the runtime: turns are interrupted and recorded, the database is closed.
pub fn stop<R: tauri::Runtime>(app: &AppHandle<R>) {
    let core = app.state::<Core>();
    core.peers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let boot = core.boot.borrow().clone();
    if let Boot::Running(runtime) = boot {
        tauri::async_runtime::block_on(runtime.shutdown());
    }
}

/// Opens the door: frames for this window go into `channel` from now on. Fails with the reason when the runtime did
/// not start; calling again tries again.
#[tauri::command]
pub async fn core_open<R: tauri::Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    core: State<'_, Core>,
    safe_mode: bool,
    channel: Channel<String>,
) -> Result<(), BootFailure> {
    let tries_again = !first_open(&core, window.label());
    if tries_again && matches!(*core.boot.borrow(), Boot::Failed(_)) {
        let options = RuntimeOptions {
            safe_mode,
            ..core.options.clone()
        };
        boot(&app, options);
    }
    let runtime = match core.booted().await {
        Boot::Running(runtime) => runtime,
        Boot::Failed(failure) => return Err(*failure),
        Boot::Starting => return Err(BootFailure::from_message("the core did not start")),
    };
    let (sender, receiver) = mpsc::channel(INBOX);
    // A reloaded page opens anew; replacing the sender ends the old page's peer.
    core.peers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(window.label().to_owned(), sender);
    let hub = Arc::clone(runtime.hub());
    core.tasks.spawn_on(
        async move { serve_peer(runtime, hub, receiver, ChannelOutbox(channel)).await },
        tauri::async_runtime::handle().inner(),
    );
    Ok(())
}

/// Whether this window opens the door for the first time: then the failure it is told is the one of the start.
fn first_open(core: &Core, label: &str) -> bool {
    let mut peers = core.peers.lock().unwrap_or_else(PoisonError::into_inner);
    match peers.contains_key(label) {
        true => false,
        false => {
            // A closed sender marks that the window was here.
            peers.insert(label.to_owned(), mpsc::channel(1).0);
            true
        }
    }
}

/// Takes one frame of this window.
#[tauri::command]
pub async fn core_send<R: tauri::Runtime>(
    window: WebviewWindow<R>,
    core: State<'_, Core>,
    frame: String,
) -> Result<(), String> {
    let sender = core
        .peers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(window.label())
        .cloned();
    match sender {
        Some(sender) => sender.send(frame).await.map_err(|_| "the core is not open".to_owned()),
        None => Err("the core is not open".to_owned()),
    }
}

struct ChannelOutbox(Channel<String>);

impl Outbox for ChannelOutbox {
    fn send<'a>(&'a mut self, frame: Arc<str>) -> BoxFuture<'a, bool> {
        std::future::ready(self.0.send(frame.to_string()).is_ok()).boxed()
    }
}
