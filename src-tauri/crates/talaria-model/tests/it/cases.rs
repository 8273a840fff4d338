//! Reads the case files and reports on them.

use serde_json::Value;
use std::path::PathBuf;

/// What became of one case.
pub enum Verdict {
    Passed,
    Failed(String),
    /// A form that is listed as not built yet.
    NotBuilt,
}

/// Runs every case of `area` and panics if one fails.
pub fn run(area: &str, check: impl Fn(&Value) -> Verdict) {
    let folder = std::env::var_os("TALARIA_CASES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases")),
        PathBuf::from,
    );
    let path = folder.join(format!("{area}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut passed, mut not_built, mut failed) = (0, 0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).expect("a case is a JSON object");
        match check(&case) {
            Verdict::Passed => passed += 1,
            Verdict::NotBuilt => not_built += 1,
            Verdict::Failed(why) => {
                failed += 1;
                println!("{}: {why}", case["id"].as_str().unwrap_or("?"));
            }
        }
    }
    println!("cases_{}: {passed}/{}", area.replace('-', "_"), passed + failed);
    println!("not built: {not_built}");
    assert_eq!(failed, 0, "{failed} cases of {area} failed");
    assert!(passed > 0, "no case of {area} ran");
}
