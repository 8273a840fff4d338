//! Runs a file of behaviour cases as one table-driven test.

use serde_json::Value;
use std::path::PathBuf;

/// Checks each case of an area; `check` gives what came out instead where a case fails.
pub(crate) fn run(area: &str, check: impl Fn(&Value) -> Result<(), String>) {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases"));
    let folder = std::env::var_os("TALARIA_CASES").map_or_else(default, PathBuf::from);
    let path = folder.join(format!("{area}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<Value> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a case is a JSON object"))
        .collect();
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|got| format!("{}: got {got}", case["id"])))
        .collect();
    failed.iter().for_each(|line| println!("{line}"));
    println!(
        "cases_{}: {}/{}",
        area.replace('-', "_"),
        cases.len() - failed.len(),
        cases.len()
    );
    println!("not built: 0");
    assert!(!cases.is_empty(), "{} has no case", path.display());
    assert!(failed.is_empty(), "{} of {} cases failed", failed.len(), cases.len());
}
