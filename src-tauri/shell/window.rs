//! The window's own controls, and the watch over a page that never reports.

use serde::Deserialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::{AppHandle, Manager, WebviewWindow};

/// How long a page has to report before it is loaded again.
const READY_LIMIT: Duration = Duration::from_secs(10);

static READY: AtomicBool = AtomicBool::new(false);

/// What a title bar button asks for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowAction {
    /// To the task bar.
    Minimise,
    /// Full size or back.
    ToggleMaximise,
    /// Closes it.
    Close,
}

/// The page is up.
#[tauri::command]
pub fn shell_ready() {
    READY.store(true, Ordering::Relaxed);
}

/// Acts on the calling window.
#[tauri::command]
pub fn shell_window<R: tauri::Runtime>(window: WebviewWindow<R>, action: WindowAction) -> Result<(), String> {
    let outcome = match action {
        WindowAction::Minimise => window.minimize(),
        WindowAction::ToggleMaximise => match window.is_maximized() {
            Ok(true) => window.unmaximize(),
            Ok(false) => window.maximize(),
            Err(error) => Err(error),
        },
        WindowAction::Close => window.close(),
    };
    outcome.map_err(|error| error.to_string())
}

/// Loads the page once more when it has not reported in time.
pub fn watch_ready<R: tauri::Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(READY_LIMIT).await;
        if READY.load(Ordering::Relaxed) {
            return;
        }
        tracing::warn!("the page has not reported within 10 s; it is loaded again");
        if let Some(window) = app.get_webview_window("main") {
            let _ = window.reload();
        }
    });
}
