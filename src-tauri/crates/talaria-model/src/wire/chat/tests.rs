use super::*;
use crate::transport::WireMessage;
use serde_json::json;
use std::sync::Arc;
use talaria_protocol::{ContentPart, ImageUrl, ToolCall};

const STYLE: ChatStyle = ChatStyle {
    cap_key: CapKey::MaxTokens,
    reasoning_echo: ReasoningEcho::Never,
    stream: true,
    stream_usage: true,
};

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        model: "m".to_owned(),
        system: Some(WireMessage::new(Message::text(Role::System, "sys"))),
        messages: messages.into_iter().map(WireMessage::new).collect(),
        tools: Arc::new([ToolDefinition {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        }]),
        max_tokens: Some(100),
        temperature: Some(0.5),
    }
}

fn text_of(request: &ChatRequest, style: ChatStyle) -> String {
    String::from_utf8(body(request, tools_json(&request.tools).as_deref(), style)).unwrap()
}

fn messages_of(messages: Vec<Message>, style: ChatStyle) -> Value {
    let value: Value = serde_json::from_str(&text_of(&request(messages), style)).unwrap();
    Value::Array(value["messages"].as_array().unwrap()[1..].to_vec())
}

#[test]
fn the_whole_body() {
    let calling = call("c1", "{ \"path\" : \"a\", \"limit\": 10 }");
    let history = vec![
        Message::user("q"),
        Message::calls(vec![calling.clone()]),
        Message::tool(&calling, "text"),
    ];
    insta::assert_snapshot!(text_of(&request(history), STYLE), @r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":100,"temperature":0.5,"tools":[{"type":"function","function":{"name":"read_file","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],"messages":[{"role":"system","content":"sys"},{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"limit\":10,\"path\":\"a\"}"}}]},{"role":"tool","content":"text","tool_call_id":"c1"}]}"#);
}

#[test]
fn keys_of_our_own_are_never_sent() {
    let mut message = Message::assistant("shown");
    message.reasoning = Some("why".to_owned());
    message.reasoning_content = Some("why".to_owned());
    message.reasoning_details = Some(json!([{"type": "x"}]));
    message.finish_reason = Some("stop".to_owned());
    message.timestamp = 5.0;
    message.tool_name = Some("t".to_owned());
    message.tool_call_id = Some("stray".into());
    assert_eq!(
        messages_of(vec![message], STYLE),
        json!([{"role": "assistant", "content": "shown"}])
    );
}

#[test]
fn what_was_sent_once_is_sent_again() {
    let mut message = Message::user("clean");
    message.api_content = Some("clean\n\n<memory>".to_owned());
    assert_eq!(
        messages_of(vec![message], STYLE),
        json!([{"role": "user", "content": "clean\n\n<memory>"}])
    );
}

#[test]
fn images_are_sent_as_parts() {
    let mut message = Message::user("");
    message.content = Some(Content::Parts(vec![
        ContentPart::Text { text: "see".to_owned() },
        ContentPart::ImageUrl {
            image_url: ImageUrl {
                url: "data:image/png;base64,AA".to_owned(),
                detail: None,
            },
        },
    ]));
    assert_eq!(
        messages_of(vec![message], STYLE),
        json!([{"role": "user", "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        ]}])
    );
}

#[test]
fn reasoning_goes_back_only_where_it_is_wanted() {
    let mut stored = Message::assistant("a");
    stored.reasoning = Some("shown".to_owned());
    stored.reasoning_content = Some(String::new());
    stored.reasoning_details = Some(json!([1]));
    let mut shown = Message::assistant("b");
    shown.reasoning = Some("shown".to_owned());
    let mut calling = Message::calls(vec![call("c", "{}")]);
    calling.reasoning = Some("of another vendor".to_owned());
    let of = |echo| {
        let history = vec![stored.clone(), shown.clone(), calling.clone(), Message::user("u")];
        let wire = messages_of(
            history,
            ChatStyle {
                reasoning_echo: echo,
                ..STYLE
            },
        );
        let field = |name: &str| {
            wire.as_array()
                .unwrap()
                .iter()
                .map(|m| m[name].clone())
                .collect::<Vec<_>>()
        };
        (field("reasoning_content"), field("reasoning_details"))
    };
    let none = Value::Null;
    let nothing = vec![none.clone(); 4];
    assert_eq!(of(ReasoningEcho::Never), (nothing.clone(), nothing.clone()));
    assert_eq!(
        of(ReasoningEcho::Content),
        (
            vec![json!(" "), json!("shown"), json!(" "), none.clone()],
            nothing.clone()
        )
    );
    assert_eq!(
        of(ReasoningEcho::Details),
        (nothing, vec![json!([1]), none.clone(), none.clone(), none])
    );
}

#[test]
fn system_role_and_cap_follow_model_and_route() {
    let mut request = request(vec![Message::user("q")]);
    request.model = "openai/GPT-5-mini".to_owned();
    let text = text_of(
        &request,
        ChatStyle {
            cap_key: CapKey::MaxCompletionTokens,
            stream: false,
            ..STYLE
        },
    );
    assert!(text.contains(r#"{"role":"developer","content":"sys"}"#), "{text}");
    assert!(
        text.contains(r#""max_completion_tokens":100"#) && !text.contains("stream"),
        "{text}"
    );
}

#[test]
fn arguments_are_sorted_compact_and_exact() {
    let cases = [
        (
            r#"{"b":[{"z":1,"a":2}], "a" : "x\u00e9"}"#,
            r#"{"a":"x\u00e9","b":[{"a":2,"z":1}]}"#,
        ),
        (
            r#"{"n":123456789012345678901234567890,"f":1.10}"#,
            r#"{"f":1.10,"n":123456789012345678901234567890}"#,
        ),
        (r#"{"b":1,"a":2"#, r#"{"a":2,"b":1}"#),
        ("", "{}"),
        ("[1]", "{}"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(wire_arguments(arguments), expected, "{arguments}");
    }
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(serde_json::from_str::<serde::de::IgnoredAny>(&wire_arguments(&deep)).is_ok());
}

#[test]
fn bodies_are_stable_and_share_their_beginning() {
    let turn = |number: usize| {
        let calling = call(&format!("c{number}"), "{\"z\": 1, \"path\": \"a\"}");
        [
            Message::user(format!("q{number}")),
            Message::calls(vec![calling.clone()]),
            Message::tool(&calling, "r"),
        ]
    };
    let mut wires: Vec<Arc<WireMessage>> = Vec::new();
    let mut last = String::new();
    for number in 0..10 {
        wires.extend(turn(number).map(WireMessage::new));
        let mut now = request(Vec::new());
        now.messages = wires.clone();
        let text = text_of(&now, STYLE);
        assert_eq!(
            text,
            text_of(&request((0..=number).flat_map(turn).collect()), STYLE),
            "two builds"
        );
        assert!(text.starts_with(last.strip_suffix("]}").unwrap_or("")), "turn {number}");
        last = text;
    }
}
