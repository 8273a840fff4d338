use super::*;
use serde_json::Value;
use std::collections::HashMap;

fn context() -> PathContext {
    PathContext {
        user_homes: vec!["/home/ada".into(), "/data/ada/".into()],
        talaria_homes: vec!["/home/ada/.talaria".into()],
        safe_roots: Vec::new(),
        temp_dirs: vec!["/private/var/folders/ab/T".into()],
    }
}

/// What a file system with these links makes of a path: the target of each link on the way, and the end.
fn resolve(path: &str, links: &HashMap<String, String>) -> (Vec<String>, String) {
    let mut hops = Vec::new();
    let mut at = fold(path);
    while let Some(target) = links.get(&at).filter(|_| hops.len() < 20) {
        at = fold(target);
        hops.push(at.clone());
    }
    (hops, at)
}

#[test]
fn cases_path_rules() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases");
    let folder = std::env::var("TALARIA_CASES").unwrap_or_else(|_| default.to_owned());
    let text = std::fs::read_to_string(format!("{folder}/path-rules.jsonl")).unwrap();
    let (mut failed, mut total) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.replace("HERMES_", "TALARIA_").replace(".hermes", ".talaria");
        let case: Value = serde_json::from_str(&line).unwrap();
        total += 1;
        let input = &case["input"];
        let text = |name: &str| input[name].as_str().unwrap().to_owned();
        let links = input.get("symlinks").map_or_else(HashMap::new, |links| {
            serde_json::from_value::<HashMap<String, String>>(links.clone()).unwrap()
        });
        let context = PathContext {
            user_homes: vec![text("home")],
            talaria_homes: vec![text("agent_home")],
            safe_roots: input.get("safe_roots").map_or_else(Vec::new, |roots| {
                serde_json::from_value::<Vec<String>>(roots.clone()).unwrap()
            }),
            temp_dirs: Vec::new(),
        };
        let literal = text("path");
        let (hops, real) = resolve(&context.absolute(&literal), &links);
        let file = Spellings {
            literal: &literal,
            hops: &hops,
            real: &real,
        };
        let result = match input["op"].as_str().unwrap() {
            "read" => check_read(file, &context),
            "write" => check_change(Change::Write, file, &context),
            op => panic!("a form of case that is neither built nor listed: {op}"),
        };
        let got = if result.is_ok() { "allow" } else { "deny" };
        if case["expect"]["verdict"] != got {
            failed.push(format!("{} got {got}: {input}", case["id"].as_str().unwrap()));
        }
    }
    println!("{}", failed.join("\n"));
    println!("cases_path_rules: {}/{total}", total - failed.len());
    println!("not built: 0");
    assert!(failed.is_empty() && total > 0);
}

#[test]
fn every_spelling_that_leads_to_a_file_is_looked_at() {
    let link = "/home/ada/p/notes".to_owned();
    let hops = ["/home/ada/.ssh/config".to_owned()];
    let through_a_hop = Spellings {
        literal: &link,
        hops: &hops,
        real: "/mnt/keys/config",
    };
    assert!(check_change(Change::Write, through_a_hop, &context()).is_err());
    let by_its_real_name = Spellings {
        literal: &link,
        hops: &[],
        real: "/etc/hosts",
    };
    assert!(check_change(Change::Write, by_its_real_name, &context()).is_err());
    // A link out of the safe folder does not lead out of it.
    let limited = PathContext {
        safe_roots: vec!["/home/ada/p/".into()],
        ..context()
    };
    let out = Spellings {
        literal: &link,
        hops: &[],
        real: "/srv/x",
    };
    assert!(check_change(Change::Write, out, &limited).is_err());
    assert!(check_change(Change::Write, Spellings::plain(&link), &limited).is_ok());
}

#[test]
fn what_is_refused_and_what_only_looks_like_it() {
    let read = |path: &str| check_read(Spellings::plain(path), &context()).is_err();
    let write = |path: &str| check_change(Change::Write, Spellings::plain(path), &context()).is_err();
    for path in [
        "/dev/../dev/zero",
        "/proc/1/task/2/environ",
        "/dev/nvme0n1p2",
        "/dev/watchdog0",
        "~/.talaria/skills/.hub/x",
    ] {
        assert!(read(path), "{path}");
    }
    for path in [
        "/dev/shm/notes",
        "/dev/sda-notes.txt",
        "/proc/self/status",
        "/proc/self/fd/3",
        "/p/auth.json",
    ] {
        assert!(!read(path), "{path}");
    }
    let written = [
        "/data/ada/.bashrc",
        "/home/ada/x/../.ssh/id_rsa",
        "/home/ada/.talaria/auth.json",
        "/home/ada/.talaria/plugins/x",
        "/home/ada/.talaria/state.db-wal",
        "/proc/sys/kernel/x",
        "/sys/x",
        "/dev/sda",
        "/private/var/db/x",
        "/var/run/docker.sock",
        "/etc",
    ];
    for path in written {
        assert!(write(path), "{path}");
    }
    let free = [
        "/home/ada/.ssh",
        "/home/ada/p/.env",
        "/home/ada/.talaria/skills/a/SKILL.md",
        "/dev/null",
        "/etcetera/x",
        "/home/adam/.bashrc",
        "/private/var/folders/ab/T/x",
        "/home/ada/p/.ssh/x",
    ];
    for path in free {
        assert!(!write(path), "{path}");
    }
}

#[test]
fn the_message_names_verb_path_and_way_out() {
    let denied = check_change(Change::Delete, Spellings::plain("/home/ada/.netrc"), &context()).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "Delete denied: '/home/ada/.netrc' is a protected system/credential file."
    );
    assert!(device_denied("/dev//tty").is_err());
    let limited = PathContext {
        safe_roots: vec!["/a".into(), "/b".into()],
        ..context()
    };
    let denied = check_change(Change::Move, Spellings::plain("/c/x"), &limited).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "Move denied: '/c/x' is outside of the folders that may be written to: /a, /b."
    );
}
