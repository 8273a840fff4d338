//! Which crate may know which (ARCHITECTURE.md). The table below is the rule; a new crate needs a row.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Crate and what it may use of ours, besides itself.
const MAY_USE: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("config", &["protocol"]),
    ("store", &["protocol"]),
    ("policy", &["protocol"]),
    ("model", &["protocol"]),
    ("bridge", &["protocol"]),
    ("exec", &["protocol", "policy"]),
    ("tools", &["protocol", "policy", "exec"]),
    (
        "tools-files",
        &[
            "protocol", "config", "store", "policy", "model", "bridge", "exec", "tools",
        ],
    ),
    (
        "tools-terminal",
        &[
            "protocol", "config", "store", "policy", "model", "bridge", "exec", "tools",
        ],
    ),
    (
        "tools-session",
        &[
            "protocol", "config", "store", "policy", "model", "bridge", "exec", "tools",
        ],
    ),
    (
        "agent",
        &[
            "protocol", "config", "store", "policy", "model", "bridge", "exec", "tools",
        ],
    ),
    (
        "runtime",
        &[
            "protocol",
            "config",
            "store",
            "policy",
            "model",
            "bridge",
            "exec",
            "tools",
            "tools-files",
            "tools-terminal",
            "tools-session",
            "agent",
        ],
    ),
    ("daemon", &["runtime", "bridge", "config", "protocol"]),
    ("talaria", &["runtime", "bridge", "config", "protocol"]),
    (
        "testkit",
        &[
            "protocol", "config", "store", "policy", "model", "bridge", "exec", "tools",
        ],
    ),
];

/// Crates that only the package at the root may use.
const WINDOW_CRATES: &[&str] = &["tauri", "tauri-build", "wry", "tao"];

struct Manifest {
    name: String,
    /// Dependencies of the product (build dependencies included), and of tests.
    product: Vec<String>,
    tests: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn manifests() -> Vec<Manifest> {
    let mut paths = vec![root().join("Cargo.toml")];
    for entry in std::fs::read_dir(root().join("src-tauri/crates")).unwrap() {
        paths.push(entry.unwrap().path().join("Cargo.toml"));
    }
    paths
        .iter()
        .filter(|path| path.exists())
        .map(|path| read(path))
        .collect()
}

/// Reads names of dependencies. Our manifests have one dependency a line, which is all that this understands.
fn read(path: &Path) -> Manifest {
    let text = std::fs::read_to_string(path).unwrap();
    let mut manifest = Manifest {
        name: String::new(),
        product: Vec::new(),
        tests: Vec::new(),
    };
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').trim_matches('[').to_owned();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = key.trim().split('.').next().unwrap_or_default().to_owned();
        if section == "package" && key == "name" {
            manifest.name = value.trim().trim_matches('"').to_owned();
        } else if section == "dev-dependencies" {
            manifest.tests.push(key);
        } else if section.ends_with("dependencies") && section != "workspace.dependencies" {
            manifest.product.push(key);
        }
    }
    assert!(!manifest.name.is_empty(), "{} has no package name", path.display());
    manifest
}

fn short(name: &str) -> &str {
    name.strip_prefix("talaria-").unwrap_or(name)
}

fn is_ours(name: &str) -> bool {
    name == "talaria" || name.starts_with("talaria-")
}

#[test]
fn crates_depend_downwards_only() {
    let table: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    for manifest in manifests() {
        let name = short(&manifest.name);
        let allowed = table
            .get(name)
            .unwrap_or_else(|| panic!("{name} has no row in the table of borders"));
        for used in manifest.product.iter().filter(|used| is_ours(used)) {
            assert!(
                allowed.contains(&short(used)),
                "{name} must not depend on {}; see ARCHITECTURE.md",
                short(used)
            );
        }
    }
}

#[test]
fn the_test_kit_is_only_used_by_tests() {
    for manifest in manifests() {
        assert!(
            !manifest.product.iter().any(|used| used == "talaria-testkit"),
            "{} ships the test kit",
            manifest.name
        );
    }
}

#[test]
fn only_the_root_package_knows_the_window() {
    for manifest in manifests().iter().filter(|manifest| manifest.name != "talaria") {
        for used in manifest.product.iter().chain(&manifest.tests) {
            assert!(
                !WINDOW_CRATES.contains(&used.as_str()),
                "{} must not name {used}",
                manifest.name
            );
        }
    }
}

#[test]
fn every_row_of_the_table_is_a_crate() {
    let names: Vec<String> = manifests().into_iter().map(|manifest| manifest.name).collect();
    for (name, _) in MAY_USE {
        assert!(
            names.iter().any(|found| short(found) == *name),
            "there is no crate {name}"
        );
    }
}

/// The agent speaks of tools, backends and vendors only through their seams.
#[test]
fn the_agent_names_no_tool_family_backend_or_vendor() {
    let forbidden = [
        "talaria_tools_",
        "LocalBackend",
        "talaria_exec_",
        "openrouter",
        "ollama",
        "lmstudio",
    ];
    let mut stack = vec![root().join("src-tauri/crates/talaria-agent/src")];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for word in forbidden {
                    assert!(!text.contains(word), "{} names {word}", path.display());
                }
            }
        }
    }
}
