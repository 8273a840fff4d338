//! Opens things outside of the window, within a fixed policy.

use std::process::{Command, Stdio};

/// Schemes that may be opened. Everything else a model or a page writes stays inert.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Opens a link in the person's browser or mail program.
#[tauri::command]
pub fn shell_open_url(url: String) -> Result<(), String> {
    let lower = url.trim_start().to_ascii_lowercase();
    let allowed = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
    if !allowed || url.chars().any(char::is_control) {
        return Err("only http, https and mailto links are opened".to_owned());
    }
    open_outside(url.trim())
}

/// Shows Talaria's home folder in the file manager.
#[tauri::command]
pub fn shell_reveal_home() -> Result<(), String> {
    let home = talaria_config::Home::resolve().map_err(|error| error.to_string())?;
    open_outside(&home.path().display().to_string())
}

fn open_outside(target: &str) -> Result<(), String> {
    #[cfg(target_os = "macos")]
    let program = "open";
    #[cfg(windows)]
    let program = "explorer";
    #[cfg(not(any(target_os = "macos", windows)))]
    let program = "xdg-open";
    let mut child = Command::new(program)
        .arg(target)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{program} could not be started: {error}"))?;
    // The opener ends by itself; waiting for it on a thread keeps no zombie behind.
    std::thread::spawn(move || child.wait());
    Ok(())
}
