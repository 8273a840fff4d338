use super::*;
use crate::{backend_contract, contract};

backend_contract!(local: LocalBackend::new());

#[tokio::test]
async fn a_script_longer_than_an_argument_runs() {
    let long = "x".repeat(300 * 1024);
    let text = format!("word='{long}'; echo ${{#word}}; [ -e /dev/fd/97 ] || echo closed");
    let mut process = LocalBackend::new()
        .spawn(Script {
            text,
            ..Script::default()
        })
        .await
        .unwrap();
    let mut output = Vec::new();
    process
        .finish(&mut |bytes: &[u8]| output.extend_from_slice(bytes))
        .await
        .unwrap();
    assert_eq!(String::from_utf8(output).unwrap(), "307200\nclosed\n");
}

#[tokio::test]
async fn a_shell_that_is_not_there_is_told_from_a_folder_that_is_not() {
    let backend = LocalBackend {
        shell: "/no/such/bash".into(),
    };
    let script = Script {
        cwd: Some("/".into()),
        ..Script::default()
    };
    let error = backend.spawn(script).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "the shell could not be started: /no/such/bash: no such file or directory"
    );
}

#[tokio::test]
async fn a_dropped_process_is_ended() {
    let process = LocalBackend::new()
        .spawn(Script {
            text: "sleep 301 & exec sleep 301".into(),
            ..Script::default()
        })
        .await
        .unwrap();
    let group = process.pid().unwrap();
    drop(process);
    for _ in 0..200 {
        if !process::group_is_alive(group.cast_signed()) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the group {group} is still there");
}

#[tokio::test]
async fn without_bash_the_script_asks_for_no_descriptor() {
    let backend = LocalBackend {
        shell: "/bin/sh".into(),
    };
    assert!(!backend.has_state_descriptor());
    contract::both_streams_arrive_in_order(&backend).await;
}
