//! Talaria's window: starts logging and the runtime, opens the window, and carries frames between the two.
//!
//! Only this package names `tauri`. It holds no logic of sessions, models or tools; those are the runtime's.

mod bridge;
mod shell;

use std::process::ExitCode;
use talaria_runtime::RuntimeOptions;

/// Runs the desktop program until its last window is closed.
pub fn run() -> ExitCode {
    shell::rendering::prepare();
    match program(tauri::Builder::default(), RuntimeOptions::desktop()).build(context()) {
        Ok(app) => {
            app.run(at_exit);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Talaria could not open its window: {error}");
            eprintln!("On a machine without a display use talariad instead.");
            ExitCode::FAILURE
        }
    }
}

/// The whole program on any kind of windows; tests put windows below it that nobody sees.
pub fn program<R: tauri::Runtime>(builder: tauri::Builder<R>, options: RuntimeOptions) -> tauri::Builder<R> {
    builder
        .manage(bridge::Core::new(options))
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
}

/// What is compiled in: the page, the settings of the window, and what it may call.
pub fn context<R: tauri::Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

/// Ends the runtime in order when the program ends.
pub fn at_exit<R: tauri::Runtime>(handle: &tauri::AppHandle<R>, event: tauri::RunEvent) {
    if let tauri::RunEvent::Exit = event {
        bridge::stop(handle);
    }
}
