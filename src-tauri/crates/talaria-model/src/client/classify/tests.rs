use super::*;
use crate::profile::resolve;
use talaria_protocol::ModelRoute;

fn route() -> ResolvedRoute {
    let route = ModelRoute {
        provider: "ollama".to_owned(),
        model: "qwen3".to_owned(),
        base_url: None,
        api_key_env: Some("K".to_owned()),
    };
    resolve(&route, &|_| Some("secret-1".to_owned())).unwrap()
}

fn class(status: u16, body: &str) -> String {
    let answer = FailedAnswer {
        status,
        retry_after: None,
        location: None,
        body: body.as_bytes(),
    };
    let debug = format!("{:?}", classify(answer, &route()));
    debug.split([' ', '{']).next().unwrap().to_owned()
}

#[test]
fn rows_of_the_classifier() {
    let cases = [
        (401, "", "Unauthorized"),
        (403, r#"{"error":"no access"}"#, "Unauthorized"),
        (
            403,
            r#"{"error":{"message":"Your credit balance is too low"}}"#,
            "Billing",
        ),
        (402, r#"{"error":{"message":"Insufficient credits"}}"#, "Billing"),
        (
            402,
            r#"{"error":{"message":"usage limit, try again in 5 minutes"}}"#,
            "RateLimited",
        ),
        (
            429,
            r#"{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}"#,
            "RateLimited",
        ),
        (
            429,
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            "Billing",
        ),
        (
            429,
            r#"{"error":{"message":"The engine is currently overloaded"}}"#,
            "Server",
        ),
        (
            404,
            r#"{"error":{"message":"model \"qwen3\" not found, try pulling it first"}}"#,
            "ModelNotFound",
        ),
        (
            404,
            r#"{"error":{"code":"model_not_found","message":"The model `x` does not exist"}}"#,
            "ModelNotFound",
        ),
        (404, "<html><title>404</title></html>", "WrongProtocol"),
        (404, r#"{"detail":"Not Found"}"#, "WrongProtocol"),
        (405, "", "WrongProtocol"),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens."}}"#,
            "ContextOverflow",
        ),
        (
            500,
            r#"{"error":{"message":"the request exceeds the available context size"}}"#,
            "ContextOverflow",
        ),
        (413, "", "ContextOverflow"),
        (400, r#"{"error":{"message":"API key not valid."}}"#, "Unauthorized"),
        (
            400,
            r#"{"error":{"code":"content_filter","message":"blocked"}}"#,
            "Refused",
        ),
        (
            400,
            r#"{"error":{"message":"qwen3 does not support tools"}}"#,
            "Rejected",
        ),
        (
            422,
            r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#,
            "Rejected",
        ),
        (408, "", "Server"),
        (500, "oops", "Server"),
        (503, r#"{"error":{"message":"Loading model"}}"#, "Server"),
        (529, r#"{"type":"error","error":{"type":"overloaded_error"}}"#, "Server"),
        (308, "", "WrongProtocol"),
    ];
    for (status, body, expected) in cases {
        assert_eq!(class(status, body), expected, "{status} {body}");
    }
}

#[test]
fn details_are_short_single_lines_without_the_key() {
    let body = format!(r#"{{"error":{{"message":"key secret-1\n bad {}"}}}}"#, "x".repeat(5000));
    let answer = FailedAnswer {
        status: 401,
        retry_after: None,
        location: None,
        body: body.as_bytes(),
    };
    let ModelError::Unauthorized { detail, .. } = classify(answer, &route()) else {
        panic!("not unauthorized")
    };
    assert!(
        detail.starts_with("key [key] bad xxx") && detail.chars().count() <= MAX_DETAIL + 1,
        "{detail}"
    );
    let list = Said::of(r#"{"detail":[{"msg":"a"},{"msg":"b"}]}"#);
    assert_eq!(list.detail, "a; b");
}

#[test]
fn a_missing_local_model_says_how_to_get_it() {
    let answer = FailedAnswer {
        status: 404,
        retry_after: None,
        location: None,
        body: b"model 'qwen3' not found",
    };
    let error = classify(answer, &route()).to_app_error();
    assert_eq!(error.key, "error.model.not_found");
    assert!(error.hint.unwrap().contains("`ollama pull qwen3`"));
}

#[test]
fn objections_to_a_feature() {
    let of = |body: &str| unsupported(400, body.as_bytes());
    assert_eq!(of("streaming is not supported"), Some(Unsupported::Streaming));
    assert_eq!(
        of(r#"{"error":"unrecognized field stream_options"}"#),
        Some(Unsupported::StreamUsage)
    );
    assert_eq!(
        of("'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        Some(Unsupported::CapKey)
    );
    assert_eq!(of("upstream failed"), None);
    assert_eq!(of("the upstream does not support this model"), None);
    assert_eq!(unsupported(500, b"streaming is not supported"), None);
}
