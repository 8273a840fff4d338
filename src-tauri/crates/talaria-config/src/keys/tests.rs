use super::*;
use crate::config::Config;
use serde_json::json;

#[test]
fn the_list_and_the_structs_name_the_same_settings() {
    let tree = Config::default().to_value();
    let mut names = Vec::new();
    leaves("", &tree, &mut names);
    let mut listed: Vec<String> = KEYS.iter().map(|key| key.name.to_owned()).collect();
    names.sort();
    listed.sort();
    assert_eq!(listed, names);
}

fn leaves(prefix: &str, tree: &Value, names: &mut Vec<String>) {
    for (name, value) in tree.as_object().unwrap() {
        let name = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        if value.is_object() {
            leaves(&name, value, names)
        } else {
            names.push(name)
        }
    }
}

#[test]
fn later_settings_are_not_among_those_in_use() {
    for name in LATER {
        assert!(find(name).is_none() && !is_section(name), "{name}");
    }
}

#[test]
fn misspellings_are_recognised() {
    assert_eq!(nearest("agent.max_turn"), Some("agent.max_turns"));
    assert_eq!(nearest("modell"), Some("model"));
    assert_eq!(nearest("aprovals.mode"), Some("approvals.mode"));
    assert_eq!(nearest("colour_scheme"), None);
    assert_eq!(nearest("x"), None);
}

#[test]
fn modes_have_old_names_and_unknown_ones_ask() {
    let cases = [
        (json!("manual"), Some("ask")),
        (json!(" OFF "), Some("auto")),
        (json!(false), Some("auto")),
        (json!(true), Some("ask")),
        (json!("Accept_Edits"), Some("accept_edits")),
        (json!("plan"), Some("plan")),
        (json!(""), None),
        (json!("yolo"), None),
        (json!(1), None),
    ];
    for (written, mode) in cases {
        match (Kind::Mode.check(&written), mode) {
            (Checked::Fits(found), Some(mode)) => assert_eq!(found, mode, "{written}"),
            (Checked::Instead(found, _), None) => assert_eq!(found, "ask", "{written}"),
            (other, _) => panic!("{written}: {other:?}"),
        }
    }
}

#[test]
fn numbers_keep_their_bounds() {
    let kind = Kind::Whole(1, 10);
    assert_eq!(kind.check(&json!(10)), Checked::Fits(json!(10)));
    for wrong in [json!(0), json!(11), json!(-1), json!(1.5), json!("5"), json!(true)] {
        assert_eq!(
            kind.check(&wrong),
            Checked::Wrong("a whole number from 1 to 10".to_owned()),
            "{wrong}"
        );
    }
}
