use super::*;
use crate::ScriptedModel;
use serde_json::json;

fn problem(script: &str) -> String {
    Script::from_json(script, Path::new("")).unwrap_err()
}

#[test]
fn names_what_is_wrong_with_a_script() {
    assert!(problem("nothing").starts_with("the script cannot be read"));
    assert!(problem(r#"[{"says": "a"}, {"say": "b"}]"#).starts_with("reply 1 cannot be read: unknown field `say`"));
    assert!(problem(r#"[{"says": "a", "stream_of": 3}]"#).starts_with("reply 0: it must do exactly one of"));
    assert!(problem(r#"[{"delay_ms": 3}]"#).starts_with("reply 0: it must do exactly one of"));
}

#[tokio::test]
async fn does_what_the_script_says() {
    let folder = tempfile::tempdir().unwrap();
    let script = json!({
        "strict": true, "models": ["m9"],
        "replies": [
            {"thinks": "hm", "says": ["a", "b"], "calls": [{"tool": "f", "arguments": {"x": 1}, "id": "c9"}], "usage": null},
            {"http": {"status": 429, "headers": {"retry-after": "3"}, "body": "{}"}},
            {"says": "late", "gate": "go", "plain": true},
        ],
    });
    let model = ScriptedModel::start(Script::from_json(&script.to_string(), folder.path()).unwrap()).await;
    let client = reqwest::Client::new();
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let ask = || {
        client
            .post(format!("{}/chat/completions", model.base_url()))
            .body(body.clone())
            .send()
    };
    let text = ask().await.unwrap().text().await.unwrap();
    for part in [
        "\"reasoning_content\":\"hm\"",
        "\"content\":\"a\"",
        "\"content\":\"b\"",
        "\"id\":\"c9\"",
        "\"finish_reason\":\"tool_calls\"",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("usage"));
    let limited = ask().await.unwrap();
    assert_eq!(
        (
            limited.status().as_u16(),
            limited.headers()["retry-after"].to_str().unwrap()
        ),
        (429, "3")
    );
    let opener = async {
        let reached = folder.path().join("go.reached");
        while !reached.exists() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        std::fs::write(folder.path().join("go"), "").unwrap();
    };
    let (late, ()) = tokio::join!(ask(), opener);
    assert!(late.unwrap().text().await.unwrap().contains("late"));
}
