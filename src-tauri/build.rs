//! Names the commands that the webview may call, and makes a stub of the UI when it was not built yet, so that
//! `cargo check` needs no Node.

use std::path::Path;

/// Every command of ours. What is not named here is not reachable from the webview.
const COMMANDS: &[&str] = &[
    "core_open",
    "core_send",
    "shell_ready",
    "shell_open_url",
    "shell_reveal_home",
    "shell_window",
];

const STUB: &str = "<!doctype html><meta charset=\"utf-8\"><title>Talaria</title>\
<p>The user interface was not built. Run <code>make run</code>.</p>";

fn main() {
    let dist = Path::new("ui/dist");
    if !dist.join("index.html").exists() {
        // A failure shows as Tauri's own message about the missing folder.
        let _ = std::fs::create_dir_all(dist).and_then(|()| std::fs::write(dist.join("index.html"), STUB));
    }
    println!("cargo:rerun-if-changed=ui/dist");
    let attributes = tauri_build::Attributes::new()
        .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS))
        .capabilities_path_pattern("src-tauri/capabilities/*.json");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}
