//! Homes that cannot be used: each has a message with a way out, exit code 1, and is left as it is.

use crate::rig::{Ended, Rig, finish};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use talaria_testkit::says;
use tokio::process::Command;

fn assert_told(ended: &Ended, texts: &[&str]) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for text in texts {
        assert!(ended.err.contains(text), "{text}: {}", ended.err);
    }
    assert!(ended.err.contains("hint: "), "{}", ended.err);
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
}

#[tokio::test]
async fn a_damaged_database_is_left_as_it_is() {
    let rig = Rig::start([]).await;
    let file = rig.home.path().join("state.db");
    std::fs::write(&file, "this is no database, ".repeat(1_000)).unwrap();
    assert_told(&rig.call(["run", "x"]).await, &["state.db"]);
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .starts_with("this is no database")
    );
    let json = rig.call(["run", "--json", "x"]).await;
    assert_eq!(
        (json.code, &json.result()["error"]["kind"]),
        (Some(1), &serde_json::json!("storage"))
    );
}

#[tokio::test]
async fn a_newer_database_is_read_and_not_written() {
    let rig = Rig::start([says("One.")]).await;
    rig.call(["run", "keep me"]).await;
    let file = rig.home.path().join("state.db");
    let db = rusqlite::Connection::open(&file).unwrap();
    db.execute("UPDATE schema_version SET version = 9999", []).unwrap();
    drop(db);
    assert_told(&rig.call(["run", "x"]).await, &["9999", "Update Talaria"]);
    let list = rig.call(["sessions", "list"]).await;
    assert_eq!(list.code, Some(0));
    assert!(list.out.contains("keep me"), "{list:?}");
    assert!(list.err.contains("can be read but not changed"), "{list:?}");
    assert_eq!(rig.model.request_count(), 1);
}

#[tokio::test]
async fn settings_that_are_no_yaml_are_named_with_their_line() {
    let rig = Rig::start([]).await;
    rig.home.write_config("model:\n  default: [unclosed\nother: 1\n");
    let ended = rig.call(["run", "x"]).await;
    assert_told(&ended, &["config.yaml:"]);
    assert!(
        !ended.err.contains("Safe mode"),
        "the command line has none: {}",
        ended.err
    );
}

#[tokio::test]
async fn an_unknown_setting_is_a_note_and_the_run_goes_on() {
    let rig = Rig::start([says("ok")]).await;
    let config = std::fs::read_to_string(rig.home.path().join("config.yaml")).unwrap();
    rig.home.write_config(&format!("{config}modell: x\n"));
    let ended = rig.call(["run", "x"]).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "ok\n"));
    assert!(
        ended.err.contains("note: ") && ended.err.contains("modell"),
        "{}",
        ended.err
    );
}

#[tokio::test]
async fn a_file_in_place_of_the_home_folder_is_told() {
    let rig = Rig::start([]).await;
    let mut command = rig.talariad(["run", "x"]);
    command.env("TALARIA_HOME", rig.project.join("a.txt"));
    assert_told(&finish(command).await, &["a.txt"]);
}

#[tokio::test]
async fn a_home_without_the_right_to_write_is_told() {
    let rig = Rig::start([]).await;
    let home = rig.home.path();
    let mut command = rig.talariad(["run", "x"]);
    let protect = |folder: &std::path::Path, mode| {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    protect(&home, 0o555);
    // SAFETY: the call takes nothing and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        // Rights do not bind root, so somebody else has to try.
        protect(home.parent().unwrap(), 0o755);
        command.uid(65_534).gid(65_534);
    }
    match command.spawn() {
        Ok(child) => assert_told(
            &crate::rig::wait(child).await,
            &[home.to_str().unwrap(), "TALARIA_HOME"],
        ),
        Err(error) => eprintln!("skipped: nobody else can start the program: {error}"),
    }
    protect(&home, 0o755);
    assert!(!home.join("state.db").exists());
}

/// Runs a script in which `$HOME_FOLDER` is a small file system of its own, `$CONFIG` the settings and `$TALARIAD` the
/// program. `None` where the system does not allow that.
async fn on_small_disk(rig: &Rig, script: &str) -> Option<Ended> {
    let home = rig.home.path();
    let whole = format!(
        "config=$(cat \"$HOME_FOLDER/config.yaml\"); mount -t tmpfs -o size=512k none \"$HOME_FOLDER\" || exit 77; \
         printf '%s\\n' \"$config\" > \"$HOME_FOLDER/config.yaml\"; {script}"
    );
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-c", &whole])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(rig.home.env())
        .env("HOME_FOLDER", &home)
        .env("TALARIAD", env!("CARGO_BIN_EXE_talariad"))
        .current_dir(&rig.project)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    match command.spawn() {
        Ok(child) => {
            let ended = crate::rig::wait(child).await;
            let refused = ended.code == Some(77) || ended.err.contains("unshare failed");
            if refused {
                eprintln!("skipped: no file system can be mounted here: {}", ended.err);
            }
            (!refused).then_some(ended)
        }
        Err(error) => {
            eprintln!("skipped: unshare of util-linux is not there: {error}");
            None
        }
    }
}

#[tokio::test]
async fn a_read_only_file_system_is_told() {
    let rig = Rig::start([]).await;
    let script = "mount -o remount,bind,ro \"$HOME_FOLDER\" || exit 77; exec \"$TALARIAD\" run x";
    if let Some(ended) = on_small_disk(&rig, script).await {
        assert_told(&ended, &["TALARIA_HOME"]);
    }
    assert_eq!(rig.model.request_count(), 0);
}

#[tokio::test]
async fn a_disk_that_is_full_at_the_start_is_told() {
    let rig = Rig::start([]).await;
    let script = "cat /dev/zero > \"$HOME_FOLDER/fill\" 2>/dev/null; exec \"$TALARIAD\" run x";
    if let Some(ended) = on_small_disk(&rig, script).await {
        assert_told(&ended, &["space"]);
    }
    assert_eq!(rig.model.request_count(), 0);
}

#[tokio::test]
async fn a_disk_that_fills_up_later_refuses_the_message_before_the_model_is_asked() {
    let rig = Rig::start([says("One."), says("Two.")]).await;
    let script = "\"$TALARIAD\" run first || exit 9; cat /dev/zero > \"$HOME_FOLDER/fill\" 2>/dev/null; \
                  \"$TALARIAD\" run \"$(head -c 60000 /dev/zero | tr '\\0' x)\"; code=$?; rm \"$HOME_FOLDER/fill\"; \
                  \"$TALARIAD\" sessions list >&2; exit $code";
    if let Some(ended) = on_small_disk(&rig, script).await {
        assert_told(&ended, &["no space left", "first"]);
        assert_eq!(
            rig.model.request_count(),
            1,
            "the second message was not stored, so it must not be sent"
        );
    }
}
