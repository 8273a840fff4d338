use super::*;
use serde_json::json;

fn edit(text: &str, key: &str, value: Value) -> String {
    let tree: Value = serde_saphyr::from_str(text.trim_start_matches('\u{FEFF}')).unwrap();
    set(text, &tree, key, &value).unwrap_or_else(|| panic!("{key} = {value} cannot be set in\n{text}"))
}

const FILE: &str = "\
# my settings
model:            # what I use
  default: big    # the good one
  base_url: http://localhost:1/v1

# unknown to Talaria
future_thing: {a: 1, b: [x, y]}
agent:
  # not too many
  max_turns: 10
toolsets:
  - one  # first
  - two
";

#[test]
fn only_the_value_changes() {
    assert_eq!(
        edit(FILE, "agent.max_turns", json!(20)),
        FILE.replace("max_turns: 10", "max_turns: 20")
    );
    assert_eq!(
        edit(FILE, "model.default", json!("small")),
        FILE.replace("default: big", "default: small")
    );
    assert_eq!(edit(FILE, "agent.max_turns", json!(10)), FILE);
}

#[test]
fn new_keys_go_where_they_belong() {
    let text = edit(FILE, "agent.api_max_retries", json!(5));
    assert!(text.contains("  max_turns: 10\n  api_max_retries: 5\n"), "{text}");
    let text = edit(FILE, "terminal.timeout", json!(60));
    assert!(text.contains("terminal:\n  timeout: 60\n"), "{text}");
    for line in FILE.lines() {
        assert!(text.contains(line), "lost: {line}");
    }
}

#[test]
fn null_takes_a_key_out() {
    let text = edit(FILE, "model.base_url", Value::Null);
    assert_eq!(text, FILE.replace("  base_url: http://localhost:1/v1\n", ""));
    let text = edit(FILE, "agent.max_turns", Value::Null);
    assert!(
        !text.contains("max_turns") && text.contains("# my settings") && text.contains("future_thing"),
        "{text}"
    );
    assert_eq!(edit(FILE, "terminal.timeout", Value::Null), FILE);
}

#[test]
fn lists_and_texts_that_look_like_something_else_come_back_as_they_are() {
    for value in [json!(["a", "b: c", "#d"]), json!([]), json!(["x"])] {
        edit(FILE, "toolsets", value.clone());
        edit(FILE, "command_allowlist", value);
    }
    for text in [
        "off",
        "1.0",
        "null",
        "a: b",
        "# no comment",
        "it's \"quoted\"",
        " padded ",
        "multi\nline",
        "é🙂",
        "-",
        "~",
    ] {
        edit(FILE, "model.default", json!(text));
        edit(FILE, "model.provider", json!(text));
        edit("", "model.default", json!(text));
    }
    edit(
        FILE,
        "custom_providers",
        json!([{"name": "a", "base_url": "http://x:1", "models": ["m"]}]),
    );
}

#[test]
fn empty_files_and_files_of_comments_are_filled() {
    assert_eq!(edit("", "agent.max_turns", json!(5)), "agent:\n  max_turns: 5\n");
    assert_eq!(
        edit("# mine\n", "model.default", json!("m")),
        "# mine\nmodel:\n  default: m\n"
    );
    assert_eq!(
        edit("# mine", "file_read_max_chars", json!(7)),
        "# mine\nfile_read_max_chars: 7\n"
    );
}

#[test]
fn windows_lines_and_a_byte_order_mark_stay() {
    let text = format!("\u{FEFF}{}", FILE.replace('\n', "\r\n"));
    let meant = text.replace("max_turns: 10", "max_turns: 20");
    assert_eq!(edit(&text, "agent.max_turns", json!(20)), meant);
}

#[test]
fn a_short_model_grows_into_a_map() {
    let text = edit(
        "model: big # mine\nagent:\n  max_turns: 3\n",
        "model.base_url",
        json!("http://x"),
    );
    let read: Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(
        read,
        json!({"model": {"default": "big", "base_url": "http://x"}, "agent": {"max_turns": 3}})
    );
    assert_eq!(edit("model: big\n", "model", json!("small")), "model: small\n");
}

#[test]
fn flow_style_and_a_last_line_without_break_work() {
    edit("{agent: {max_turns: 1}}", "agent.max_turns", json!(2));
    edit("agent: {max_turns: 1}", "agent.api_max_retries", json!(2));
    edit("agent:\n  max_turns: 1", "terminal.timeout", json!(2));
    edit("agent:\n", "agent.max_turns", json!(2));
    edit("---\nagent:\n  max_turns: 1\n", "agent.max_turns", json!(2));
}
