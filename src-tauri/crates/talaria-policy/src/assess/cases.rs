//! The behaviour cases `approval` (tests/cases/README.md).

use super::*;
use serde_json::Value;

/// Part of the cases that the detector must get right.
const REACHED: f64 = 1.0;

#[test]
fn cases_approval() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases");
    let folder = std::env::var("TALARIA_CASES").unwrap_or_else(|_| default.to_owned());
    let text = std::fs::read_to_string(format!("{folder}/approval.jsonl")).unwrap();
    let mut failed = Vec::new();
    let mut total = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        total += 1;
        let input = &case["input"];
        let command = match (input["command"].as_str(), input.get("command_repeat")) {
            (Some(command), _) => command.to_owned(),
            (None, Some(repeat)) => {
                let unit = repeat["unit"].as_str().unwrap();
                let count = repeat["count"].as_u64().unwrap() as usize;
                format!(
                    "{}{}",
                    repeat["prefix"].as_str().unwrap_or_default(),
                    unit.repeat(count)
                )
            }
            (None, None) => panic!("a form of case that is neither built nor listed: {input}"),
        };
        let command = command.replace("HERMES_", "TALARIA_").replace(".hermes", ".talaria");
        let home = input["home"].as_str().unwrap_or("/home/ada");
        let context = CommandContext {
            user_home: home.to_owned(),
            talaria_home: format!("{home}/.talaria"),
            sudo_password: false,
        };
        let got = match assess(&command, &context).verdict {
            Verdict::Safe => "safe",
            Verdict::Ask => "ask",
            Verdict::Block => "block",
        };
        let expect = &case["expect"];
        let fits = match expect["accept"].as_array() {
            Some(accept) => accept.iter().any(|verdict| verdict == got),
            None => expect["verdict"] == got,
        };
        if !fits {
            let shown: String = command.chars().take(110).collect();
            failed.push(format!(
                "{} got {got} want {}: {shown}",
                case["id"].as_str().unwrap(),
                expect["verdict"]
            ));
        }
    }
    println!("{}", failed.join("\n"));
    println!("cases_approval: {}/{total}", total - failed.len());
    println!("not built: 0");
    let share = (total - failed.len()) as f64 / total as f64;
    assert!(share >= REACHED, "only {share:.3} of the cases");
}
