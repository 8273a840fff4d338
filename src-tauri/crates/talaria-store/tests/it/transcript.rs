//! Messages as the model and as the person see them.

use crate::{begin, new_session, new_store};
use serde_json::json;
use std::collections::BTreeMap;
use talaria_protocol::{
    CallId, Content, ContentPart, Delivery, EffectDisposition, ImageUrl, Message, Role, Row, SessionId, ToolBody,
    ToolCall, ToolState, ToolView, Verb,
};
use talaria_store::{Display, NewMessage, Store};

fn call() -> ToolCall {
    ToolCall {
        id: CallId::from("call_1"),
        name: "terminal".to_owned(),
        arguments: "{\"command\":\"ls\"}".to_owned(),
    }
}

fn card(state: ToolState) -> Display {
    let tool = ToolView {
        call_id: CallId::from("call_1"),
        name: "terminal".to_owned(),
        verb: Verb::Run,
        target: "ls".to_owned(),
        arguments: json!({"command": "ls"}),
        state,
        started_at: Some(1.5),
        duration_ms: Some(20),
        note: Some("exit 0".to_owned()),
        body: ToolBody::Empty,
        approval: None,
    };
    Display::Tool { tool: Box::new(tool) }
}

fn notice() -> Row {
    Row::Notice {
        row_id: "n1".to_owned(),
        key: "interrupted".to_owned(),
        values: BTreeMap::new(),
        text: "Interrupted".to_owned(),
        at: 2.0,
    }
}

/// A turn with everything a message can carry; gives the row ids.
fn turn(store: &Store) -> Vec<i64> {
    store
        .write_later(|tx| {
            let id = SessionId::from("s");
            tx.create_session(&new_session("s"))?;
            let user = NewMessage {
                display: Some(Display::User {
                    delivery: Delivery::Sent,
                }),
                client_token: Some("token".to_owned()),
                ..NewMessage::from(Message {
                    content: Some(Content::Parts(vec![
                        ContentPart::Text {
                            text: "what is this".to_owned(),
                        },
                        ContentPart::ImageUrl {
                            image_url: ImageUrl {
                                url: "data:image/png;base64,AA".to_owned(),
                                detail: None,
                            },
                        },
                    ])),
                    api_content: Some("what is this, exactly".to_owned()),
                    ..Message::user("")
                })
            };
            let first = tx.append_message(&id, &user)?;
            let calls = Message {
                reasoning: Some("hm".to_owned()),
                reasoning_content: Some(String::new()),
                reasoning_details: Some(json!([{"type": "opaque", "data": "x"}])),
                finish_reason: Some("tool_calls".to_owned()),
                ..Message::calls(vec![call()])
            };
            let result = Message {
                effect_disposition: Some(EffectDisposition::Unknown),
                ..Message::tool(&call(), "a.txt\n")
            };
            let rest: Vec<NewMessage> = [
                NewMessage {
                    turn: Some(first),
                    ..NewMessage::from(calls)
                },
                NewMessage {
                    turn: Some(first),
                    display: Some(card(ToolState::Running)),
                    ..NewMessage::from(result)
                },
                NewMessage {
                    turn: Some(first),
                    ..NewMessage::from(Message::assistant("a file"))
                },
            ]
            .into();
            let mut ids = vec![first];
            ids.extend(tx.append_messages(&id, &rest)?);
            ids.push(tx.append_row(&id, Some(first), &notice())?);
            Ok(ids)
        })
        .wait()
        .unwrap()
}

#[test]
fn a_message_comes_back_whole() {
    let (_folder, store) = new_store();
    let ids = turn(&store);
    let history = store.read_here(|reader| reader.history(&SessionId::from("s"))).unwrap();
    // The notice is the person's alone.
    assert_eq!(history.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ids[..4]);
    let times: Vec<f64> = history.iter().map(|(_, message)| message.timestamp).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    let shown: Vec<Message> = history
        .into_iter()
        .map(|(_, message)| Message {
            timestamp: 0.0,
            ..message
        })
        .collect();
    insta::assert_snapshot!("history", serde_json::to_string_pretty(&shown).unwrap());
}

#[test]
fn a_card_is_kept_and_can_be_changed() {
    let (_folder, store) = new_store();
    let ids = turn(&store);
    let (row, changed) = (ids[2], card(ToolState::Done));
    let stored = changed.clone();
    assert!(
        store
            .write_later(move |tx| tx.set_display(row, &stored))
            .wait()
            .unwrap()
    );
    assert!(
        !store
            .write_later(move |tx| tx.set_display(row + 100, &card(ToolState::Done)))
            .wait()
            .unwrap()
    );
    let id = SessionId::from("s");
    let found = store
        .read_here(|reader| reader.tool_message(&id, ids[0], &CallId::from("call_1")))
        .unwrap()
        .unwrap();
    assert_eq!((found.id, found.turn_id().to_string()), (row, format!("t{}", ids[0])));
    assert_eq!(
        (found.display, found.message.content_text()),
        (Some(changed), "a.txt\n".to_owned())
    );
    let other = store
        .read_here(|reader| reader.tool_message(&id, ids[1], &CallId::from("call_1")))
        .unwrap();
    assert_eq!(other, None);
    let rows = store
        .read_here(|reader| reader.transcript(&id, None, 10))
        .unwrap()
        .messages;
    assert_eq!(
        rows[4].display,
        Some(Display::Row {
            row: Box::new(notice())
        })
    );
    assert_eq!((rows[4].message.role, rows[4].active), (Role::System, false));
    assert_eq!(rows[0].turn, ids[0]);
}

#[test]
fn a_transcript_pages_backwards() {
    let (_folder, store) = new_store();
    store
        .write_later(|tx| {
            begin(tx, "other", "not here")?;
            begin(tx, "s", "0")?;
            for number in 1..10 {
                tx.append_message(
                    &SessionId::from("s"),
                    &NewMessage::from(Message::user(number.to_string())),
                )?;
            }
            Ok(())
        })
        .wait()
        .unwrap();
    let id = SessionId::from("s");
    let (mut before, mut pages) = (None, Vec::new());
    loop {
        let page = store.read_here(|reader| reader.transcript(&id, before, 4)).unwrap();
        let texts: Vec<String> = page.messages.iter().map(|row| row.message.content_text()).collect();
        pages.push(format!("{}, {} older", texts.join(""), page.older));
        before = page.messages.first().map(|row| row.id);
        if page.older == 0 {
            break;
        }
    }
    assert_eq!(pages, ["6789, 6 older", "2345, 2 older", "01, 0 older"]);
    let empty = store
        .read_here(|reader| reader.transcript(&SessionId::from("none"), None, 4))
        .unwrap();
    assert_eq!((empty.messages.len(), empty.older), (0, 0));
}

#[test]
fn a_clients_token_is_taken_once() {
    let (_folder, store) = new_store();
    let ids = turn(&store);
    let id = SessionId::from("s");
    let found = store
        .read_here(|reader| reader.message_by_client_token(&id, "token"))
        .unwrap();
    assert_eq!(found, Some(ids[0]));
    let again = store.write_later(|tx| {
        let new = NewMessage {
            client_token: Some("token".to_owned()),
            ..NewMessage::from(Message::user("again"))
        };
        tx.append_message(&SessionId::from("s"), &new)
    });
    assert!(again.wait().is_err());
    let session = store.read_here(|reader| reader.session(&id)).unwrap().unwrap();
    assert_eq!((session.message_count, session.tool_call_count), (4, 1));
}

#[test]
fn a_frozen_prompt_comes_back_byte_for_byte() {
    let (_folder, store) = new_store();
    let prompt = "You are…\r\n\0 end ".repeat(4_000);
    let stored = prompt.clone();
    store
        .write_later(move |tx| {
            begin(tx, "s", "hi")?;
            tx.set_system_prompt(&SessionId::from("s"), Some("old"))?;
            tx.set_system_prompt(&SessionId::from("s"), Some(&stored))
        })
        .wait()
        .unwrap();
    let read = || {
        store
            .read_here(|reader| reader.system_prompt(&SessionId::from("s")))
            .unwrap()
    };
    assert!(read() == Some(prompt));
    store
        .write_later(|tx| tx.set_system_prompt(&SessionId::from("s"), None))
        .wait()
        .unwrap();
    assert_eq!(read(), None);
}
