use crate::testing::{Person, Session};
use serde_json::{Value, json};
use talaria_protocol::{Question, ToolBody, ToolState};

#[tokio::test]
async fn the_answer_comes_back_with_what_was_asked() {
    let session = Session::with(Person::Says("blue"));
    let outcome = session
        .run(
            "clarify",
            json!({"question": " Which colour? ", "choices": ["red", "blue"]}),
        )
        .await;
    assert_eq!(
        outcome.result,
        r#"{"question":"Which colour?","choices_offered":["red","blue"],"user_response":"blue"}"#
    );
    let question = Question {
        qid: "q1".into(),
        question: "Which colour?".into(),
        choices: vec!["red".into(), "blue".into()],
        multi: false,
    };
    assert_eq!(*session.asked.lock().unwrap(), std::slice::from_ref(&question));
    assert_eq!(
        outcome.body,
        ToolBody::Question {
            question,
            answer: Some("blue".into())
        }
    );
    assert_eq!(
        (outcome.state, outcome.note.as_deref()),
        (ToolState::Done, Some("answered"))
    );
}

#[tokio::test]
async fn a_dismissed_question_has_an_empty_answer() {
    let session = Session::with(Person::Dismisses);
    assert_eq!(
        session.result("clarify", json!({"question": "Why?"})).await,
        json!({"question": "Why?", "choices_offered": null, "user_response": ""})
    );
}

#[tokio::test]
async fn choices_are_unwrapped_and_four_at_most() {
    let session = Session::with(Person::Dismisses);
    for (choices, expected) in [
        (
            json!([{"label": "a", "description": "x"}, {"description": "b"}, {"text": "c"}, {"title": "d"}]),
            json!(["a", "b", "c", "d"]),
        ),
        (json!([{"value": 1}, " ", null, 5, "x"]), json!(["5", "x"])),
        (json!(["1", "2", "3", "4", "5"]), json!(["1", "2", "3", "4"])),
        (json!("[\"a\",\"b\"]"), json!(["a", "b"])),
        (json!([{"value": 1}]), Value::Null),
        (json!([]), Value::Null),
    ] {
        let result = session
            .result("clarify", json!({"question": "?", "choices": choices.clone()}))
            .await;
        assert_eq!(result["choices_offered"], expected, "{choices}");
    }
}

#[tokio::test]
async fn an_interrupted_question_is_cancelled() {
    let session = Session::with(Person::Thinks);
    let outcome = session.run("clarify", json!({"question": "Still there?"})).await;
    assert_eq!((outcome.state, outcome.effect_unknown), (ToolState::Cancelled, false));
}

#[tokio::test]
async fn a_question_needs_words() {
    let session = Session::with(Person::Says("yes"));
    for args in [json!({}), json!({"question": "  "})] {
        assert_eq!(session.run("clarify", args).await.state, ToolState::Failed);
    }
    assert!(session.asked.lock().unwrap().is_empty());
}
