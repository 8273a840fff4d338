//! What every [`Backend`](crate::Backend) must do, as tests for any implementor. See [`backend_contract!`](crate::backend_contract).
#![allow(clippy::expect_used, clippy::panic, reason = "this module is made of tests")]

use crate::backend::{Backend, ExecError, ExitState, STATE_DESCRIPTOR, Script};
use std::time::{Duration, Instant};

/// Makes a module of tests. The expression gives a backend.
#[macro_export]
macro_rules! backend_contract {
    ($name:ident: $backend:expr) => {
        $crate::backend_contract!(@tests $name, $backend,
            both_streams_arrive_in_order
            an_exit_code_comes_back
            a_signal_is_128_and_its_number
            input_arrives_whole_and_ends
            a_dropped_wait_keeps_the_process
            killing_ends_what_ignores_it
            a_process_left_behind_does_not_hold_the_end
            variables_are_those_given
            state_comes_back
            a_missing_folder_is_told
        );
    };
    (@tests $name:ident, $backend:expr, $($test:ident)*) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[tokio::test]
                async fn $test() {
                    $crate::contract::$test(&$backend).await;
                }
            )*
        }
    };
}

fn script(text: &str) -> Script {
    Script {
        text: text.to_owned(),
        ..Script::default()
    }
}

async fn run(backend: &dyn Backend, script: Script) -> (String, ExitState) {
    let mut process = backend.spawn(script).await.expect("the script starts");
    let mut output = Vec::new();
    let exit = process
        .finish(&mut |bytes: &[u8]| output.extend_from_slice(bytes))
        .await
        .expect("the script ends");
    (String::from_utf8_lossy(&output).into_owned(), exit)
}

/// stdout and stderr are one stream.
pub async fn both_streams_arrive_in_order(backend: &dyn Backend) {
    let (output, exit) = run(backend, script("printf out; printf err >&2; printf end")).await;
    assert_eq!(
        (output.as_str(), exit),
        ("outerrend", ExitState { code: 0, state: None })
    );
}

/// The exit code is the script's.
pub async fn an_exit_code_comes_back(backend: &dyn Backend) {
    assert_eq!(run(backend, script("exit 3")).await.1.code, 3);
}

/// Death by signal n is exit code 128 + n.
pub async fn a_signal_is_128_and_its_number(backend: &dyn Backend) {
    assert_eq!(run(backend, script("kill -9 $$")).await.1.code, 137);
}

/// Input is handed over as bytes, larger than any pipe, and then ends.
pub async fn input_arrives_whole_and_ends(backend: &dyn Backend) {
    let stdin = Some(b"a\0b\r\n".repeat(200_000));
    let (output, _) = run(
        backend,
        Script {
            stdin,
            ..script("wc -c; echo over")
        },
    )
    .await;
    assert_eq!(output.split_whitespace().collect::<Vec<_>>(), ["1000000", "over"]);
    let (output, _) = run(backend, script("cat; echo none")).await;
    assert_eq!(output, "none\n");
    let stdin = Some(vec![b'x'; 1_000_000]);
    assert_eq!(
        run(
            backend,
            Script {
                stdin,
                ..script("exit 4")
            }
        )
        .await
        .1
        .code,
        4
    );
}

/// Dropping the wait leaves the process running; it can be waited for again.
pub async fn a_dropped_wait_keeps_the_process(backend: &dyn Backend) {
    let mut process = backend
        .spawn(script("sleep 0.2; echo done"))
        .await
        .expect("the script starts");
    let mut output = Vec::new();
    let mut sink = |bytes: &[u8]| output.extend_from_slice(bytes);
    assert!(
        tokio::time::timeout(Duration::from_millis(20), process.finish(&mut sink))
            .await
            .is_err()
    );
    assert_eq!(process.finish(&mut sink).await.expect("the script ends").code, 0);
    assert_eq!(output, b"done\n");
}

/// Killing ends politely, then by force, within a few seconds; what was written before is still to be had.
pub async fn killing_ends_what_ignores_it(backend: &dyn Backend) {
    let mut process = backend
        .spawn(script("trap '' TERM; echo deaf; while :; do sleep 0.05; done"))
        .await
        .expect("the script starts");
    let mut output = Vec::new();
    let mut sink = |bytes: &[u8]| output.extend_from_slice(bytes);
    assert!(
        tokio::time::timeout(Duration::from_millis(300), process.finish(&mut sink))
            .await
            .is_err()
    );
    let start = Instant::now();
    process.kill().await;
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(process.finish(&mut sink).await.expect("it ended").code, 137);
    assert_eq!(output, b"deaf\n");
}

/// A grandchild that keeps the output open delays the end by no more than moments.
pub async fn a_process_left_behind_does_not_hold_the_end(backend: &dyn Backend) {
    let start = Instant::now();
    let (output, exit) = run(backend, script("sleep 3 & echo hi")).await;
    assert_eq!((output.as_str(), exit.code), ("hi\n", 0));
    assert!(start.elapsed() < Duration::from_millis(1_500), "{:?}", start.elapsed());
}

/// The environment of the script is the one given and nothing more.
pub async fn variables_are_those_given(backend: &dyn Backend) {
    let env = [
        ("GIVEN".into(), "it's $me".into()),
        ("PATH".into(), "/usr/bin:/bin".into()),
    ]
    .into();
    let env = Some(std::sync::Arc::new(env));
    let (output, _) = run(
        backend,
        Script {
            env,
            ..script("echo \"$GIVEN|${HOME-no home}\"")
        },
    )
    .await;
    assert_eq!(output, "it's $me|no home\n");
}

/// What a script writes to its state descriptor comes back beside the output, where the backend says that it can.
pub async fn state_comes_back(backend: &dyn Backend) {
    if !backend.has_state_descriptor() {
        return;
    }
    let text = format!("echo seen; printf 'a\\0b' >&{STATE_DESCRIPTOR}");
    let (output, exit) = run(
        backend,
        Script {
            wants_state: true,
            ..script(&text)
        },
    )
    .await;
    assert_eq!(
        (output.as_str(), exit),
        (
            "seen\n",
            ExitState {
                code: 0,
                state: Some(b"a\0b".to_vec())
            }
        )
    );
}

/// A folder that is not there is an error of its own, and nothing runs.
pub async fn a_missing_folder_is_told(backend: &dyn Backend) {
    let cwd = Some("/no/such/folder".to_owned());
    match backend
        .spawn(Script {
            cwd,
            ..script("echo ran")
        })
        .await
    {
        Err(ExecError::Directory { path, .. }) => assert_eq!(path, "/no/such/folder"),
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it ran"),
    }
}
