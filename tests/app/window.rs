//! Frames between the page and the core through Tauri's mock windows: the real commands, the real list of what a page
//! may call, no display.

use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use talaria_runtime::RuntimeOptions;
use tauri::ipc::{CallbackFn, InvokeBody, InvokeResponseBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{Manager, WebviewWindow};

const PAGE: &str = if cfg!(windows) {
    "http://tauri.localhost"
} else {
    "tauri://localhost"
};
const LIMIT: Duration = Duration::from_secs(20);

/// The page of the window, as the core sees it.
struct Page {
    window: WebviewWindow<MockRuntime>,
    frames: mpsc::Receiver<(u32, Value)>,
}

impl Page {
    fn call_from(&self, origin: &str, command: &str, arguments: Value) -> Result<InvokeResponseBody, Value> {
        let request = InvokeRequest {
            cmd: command.to_owned(),
            callback: CallbackFn(0),
            error: CallbackFn(1),
            url: origin.parse().unwrap(),
            body: InvokeBody::Json(arguments),
            headers: Default::default(),
            invoke_key: INVOKE_KEY.to_owned(),
        };
        get_ipc_response(&self.window, request)
    }

    fn call(&self, command: &str, arguments: Value) -> Result<InvokeResponseBody, Value> {
        self.call_from(PAGE, command, arguments)
    }

    /// Opens the door with the channel of this number.
    fn open(&self, channel: u32) -> Result<InvokeResponseBody, Value> {
        self.call(
            "core_open",
            json!({"safeMode": false, "channel": format!("__CHANNEL__:{channel}")}),
        )
    }

    fn send(&self, frame: &Value) -> Result<InvokeResponseBody, Value> {
        self.call("core_send", json!({"frame": frame.to_string()}))
    }

    /// The answer to the request with this id, and the channel that brought it.
    fn answer(&self, id: u64) -> (u32, Value) {
        loop {
            let (channel, frame) = self.frames.recv_timeout(LIMIT).unwrap();
            if frame["id"] == json!(id) {
                return (channel, frame);
            }
        }
    }
}

/// Runs the program on a home of its own, with `script` in place of its page, until it has ended in order.
fn with_page(prepare: impl FnOnce(&Path), script: impl FnOnce(&Page) + Send + 'static) {
    let home = tempfile::tempdir().unwrap();
    prepare(home.path());
    let (sender, frames) = mpsc::channel();
    let sender = Mutex::new(sender);
    let builder = mock_builder().channel_interceptor(move |_, channel, _, body| {
        let InvokeResponseBody::Json(text) = body else {
            panic!("frames are text")
        };
        // A frame is text inside JSON.
        let frame: String = serde_json::from_str(text).unwrap();
        let frame = serde_json::from_str(&frame).unwrap();
        sender.lock().unwrap().send((channel.0, frame)).is_ok()
    });
    let options = RuntimeOptions {
        home: Some(home.path().to_owned()),
        login_shell: false,
        ..RuntimeOptions::desktop()
    };
    let app = talaria_app::program(builder, options)
        .build(talaria_app::context())
        .unwrap();
    let (done, outcome) = mpsc::channel();
    let mut waiting = Some((script, frames, done));
    app.run_return(move |handle, event| {
        talaria_app::at_exit(handle, event);
        // The window is there with the first event; closing it ends the program.
        let Some(window) = handle.get_webview_window("main") else {
            return;
        };
        if let Some((script, frames, done)) = waiting.take() {
            std::thread::spawn(move || {
                let page = Page { window, frames };
                let outcome = catch_unwind(AssertUnwindSafe(|| script(&page)));
                done.send(outcome).unwrap();
                page.window.close().unwrap();
            });
        }
    });
    if let Err(panic) = outcome.recv().unwrap() {
        resume_unwind(panic);
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn hello(id: u64) -> Value {
    request(
        id,
        "client.hello",
        json!({"protocol": "1.0", "app_version": "0", "client": "desktop"}),
    )
}

fn nothing(_: &Path) {}

#[test]
fn a_page_opens_the_door_and_greets_the_core() {
    with_page(nothing, |page| {
        page.open(7).unwrap();
        page.send(&hello(1)).unwrap();
        let (channel, answer) = page.answer(1);
        assert_eq!(channel, 7);
        assert_eq!(answer["error"], Value::Null);
        assert_eq!(answer["result"]["default_mode"], "ask");
        page.send(&request(2, "session.nonsense", json!({}))).unwrap();
        assert_eq!(page.answer(2).1["error"]["code"], -32601);
        page.send(&request(3, "session.list", json!({}))).unwrap();
        assert_eq!(page.answer(3).1["result"]["sessions"], json!([]));
    });
}

#[test]
fn frames_before_the_door_is_open_are_refused() {
    with_page(nothing, |page| {
        assert_eq!(page.send(&hello(1)).unwrap_err(), "the core is not open");
    });
}

#[test]
fn a_reloaded_page_gets_its_frames_on_its_own_channel() {
    with_page(nothing, |page| {
        page.open(7).unwrap();
        page.send(&hello(1)).unwrap();
        let (_, before) = page.answer(1);
        page.open(8).unwrap();
        page.send(&hello(2)).unwrap();
        let (channel, after) = page.answer(2);
        assert_eq!(channel, 8);
        assert_eq!(
            before["result"]["epoch"], after["result"]["epoch"],
            "the core was started anew"
        );
    });
}

#[test]
fn a_core_that_did_not_start_says_why_and_starts_once_the_cause_is_gone() {
    let database = |home: &Path| home.join("state.db");
    let home = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&home);
    with_page(
        move |folder| {
            std::fs::write(database(folder), [7; 8192]).unwrap();
            *seen.lock().unwrap() = Some(folder.to_owned());
        },
        move |page| {
            let failure = page.open(7).unwrap_err();
            assert_eq!(failure["error"]["kind"], "storage", "{failure}");
            assert!(failure["error"]["hint"].is_string(), "it names no way out");
            let folder = home.lock().unwrap().clone().unwrap();
            std::fs::remove_file(database(&folder)).unwrap();
            page.open(8).unwrap();
            page.send(&hello(1)).unwrap();
            assert_eq!(page.answer(1).1["error"], Value::Null);
        },
    );
}

#[test]
fn a_page_may_call_what_is_listed_and_nothing_else() {
    with_page(nothing, |page| {
        page.call("shell_ready", json!({})).unwrap();
        // The first is no command at all, the others are commands of Tauri that are not on the list.
        for command in [
            "core_close",
            "plugin:window|create",
            "plugin:window|set_title",
            "plugin:webview|create_webview_window",
            "plugin:event|emit",
            "plugin:event|listen",
            "plugin:path|resolve_directory",
            "plugin:app|version",
        ] {
            let refusal = page.call(command, json!({})).unwrap_err();
            assert!(refusal.to_string().contains("not allowed"), "{command}: {refusal}");
        }
    });
}

#[test]
fn a_page_from_elsewhere_may_call_nothing() {
    with_page(nothing, |page| {
        for command in [
            "core_open",
            "core_send",
            "shell_ready",
            "shell_open_url",
            "shell_reveal_home",
            "shell_window",
        ] {
            let refusal = page
                .call_from("https://elsewhere.example", command, json!({}))
                .unwrap_err();
            assert!(refusal.to_string().contains("not allowed"), "{command}: {refusal}");
        }
    });
}

#[test]
fn only_links_of_the_web_and_of_mail_are_opened() {
    with_page(nothing, |page| {
        for url in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://a.example/\u{7}",
            " ",
            "/bin/sh",
        ] {
            let refusal = page.call("shell_open_url", json!({ "url": url })).unwrap_err();
            assert_eq!(refusal, json!("only http, https and mailto links are opened"), "{url}");
        }
    });
}
