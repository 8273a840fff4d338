//! Talaria's window: starts logging and the runtime, opens the window, and carries frames between the two.
//!
//! Only this package names `tauri`. It holds no logic of sessions, models or tools; those are the runtime's.

mod bridge;
mod shell;

use std::process::ExitCode;

/// Runs the desktop program until its last window is closed.
pub fn run() -> ExitCode {
    shell::rendering::prepare();
    let core = bridge::Core::new();
    let app = tauri::Builder::default()
        .manage(core)
        .invoke_handler(tauri::generate_handler![
            bridge::core_open,
            bridge::core_send,
            shell::window::shell_ready,
            shell::window::shell_window,
            shell::open::shell_open_url,
            shell::open::shell_reveal_home,
        ])
        .setup(|app| {
            bridge::start(app.handle());
            shell::window::watch_ready(app.handle());
            Ok(())
        })
        .build(tauri::generate_context!());
    match app {
        Ok(app) => {
            app.run(|handle, event| {
                if let tauri::RunEvent::Exit = event {
                    bridge::stop(handle);
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Talaria could not open its window: {error}");
            eprintln!("On a machine without a display use talariad instead.");
            ExitCode::FAILURE
        }
    }
}
