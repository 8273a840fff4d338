//! The session list, titles, deletion, usage, export.

use crate::{begin, database, new_session, new_store, route};
use talaria_protocol::{ApprovalMode, Message, ModelRoute, SessionId, SessionState, Usage};
use talaria_store::{NewMessage, Store, StoreError};

fn at(text: &str, time: f64) -> NewMessage {
    NewMessage::from(Message {
        timestamp: time,
        ..Message::user(text)
    })
}

fn list(store: &Store, query: Option<&str>) -> Vec<String> {
    let page = store
        .read_here(|reader| reader.list_sessions(query, None, 100))
        .unwrap();
    page.sessions
        .into_iter()
        .map(|session| session.session_id.to_string())
        .collect()
}

fn ids(range: impl Iterator<Item = u32>) -> Vec<String> {
    range.map(|number| format!("s{number}")).collect()
}

#[test]
fn the_list_pages_from_the_newest_message_on() {
    let (_folder, store) = new_store();
    store
        .write_later(|tx| {
            for number in 0..7_u32 {
                let id = SessionId::new(format!("s{number}"));
                tx.create_session(&new_session(id.as_str()))?;
                tx.append_message(&id, &at("hello", 2_000.0 + f64::from(number)))?;
            }
            // The oldest session speaks again; two others share a time.
            tx.append_message(&SessionId::from("s0"), &at("again", 3_000.0))?;
            tx.append_message(&SessionId::from("s1"), &at("again", 2_006.0))
        })
        .wait()
        .unwrap();
    let (mut cursor, mut seen) = (None, Vec::new());
    loop {
        let page = store
            .read_here(|reader| reader.list_sessions(None, cursor.as_deref(), 2))
            .unwrap();
        seen.extend(page.sessions.into_iter().map(|session| session.session_id.to_string()));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ids([0, 6, 1, 5, 4, 3, 2].into_iter()));
    let all = store.read_here(|reader| reader.list_sessions(None, None, 7)).unwrap();
    assert_eq!(all.next_cursor, None);
}

#[test]
fn a_query_finds_titles_and_previews_however_they_are_joined() {
    let (_folder, store) = new_store();
    store
        .write_later(|tx| {
            begin(tx, "s0", "Look at my-app.config.ts")?;
            begin(tx, "s1", "ÄRGER mit 100%_sure")?;
            begin(tx, "s2", "nothing")?;
            tx.rename_session(&SessionId::from("s2"), "My App")
        })
        .wait()
        .unwrap();
    assert_eq!(list(&store, Some("my app")), ["s2", "s0"]);
    assert_eq!(list(&store, Some("MYAPP")), ["s2", "s0"]);
    assert_eq!(list(&store, Some("ärger")), ["s1"]);
    assert_eq!(list(&store, Some("100%_")), ["s1"]);
    assert_eq!(list(&store, Some("%")), ["s1"]);
    assert_eq!(list(&store, Some("my_app.config")), ["s0"]);
    assert_eq!(list(&store, Some("-")), ["s0"]);
    assert_eq!(list(&store, Some("  ")).len(), 3);
    assert_eq!(list(&store, Some("absent")), [""; 0]);
}

#[test]
fn a_session_is_stored_once_and_its_row_follows_its_messages() {
    let (_folder, store) = new_store();
    let id = SessionId::from("s");
    store
        .write_later(|tx| {
            let id = SessionId::from("s");
            let bare = talaria_store::NewSession {
                model: None,
                project_dir: None,
                ..new_session("s")
            };
            tx.create_session(&bare)?;
            tx.append_message(&id, &at("  first\nwords ", 1_500.0))?;
            tx.create_session(&talaria_store::NewSession {
                source: "other".to_owned(),
                ..new_session("s")
            })?;
            tx.append_message(&id, &at("second", 1_400.0))?;
            tx.set_approval_mode(&id, ApprovalMode::AcceptEdits)?;
            tx.set_max_iterations(&id, Some(5))?;
            tx.set_project_dir(&id, "/elsewhere", Some("main"), None)
        })
        .wait()
        .unwrap();
    let session = store.read_here(|reader| reader.session(&id)).unwrap().unwrap();
    insta::assert_snapshot!(
        "summary",
        serde_json::to_string_pretty(&session.summary(SessionState::Idle)).unwrap()
    );
    assert_eq!((session.max_iterations, session.deleted_at), (Some(5), None));
    let missing = store
        .write_later(|tx| tx.set_max_iterations(&SessionId::from("t"), None))
        .wait();
    assert!(matches!(missing, Err(StoreError::NoSession { .. })));
    let orphan = store
        .write_later(|tx| tx.append_message(&SessionId::from("t"), &at("x", 1.0)))
        .wait();
    assert!(matches!(orphan, Err(StoreError::NoSession { .. })));
}

#[test]
fn titles_are_unique_and_the_persons_are_kept() {
    let (_folder, store) = new_store();
    let (renamed, auto, kept, taken) = store
        .write_later(|tx| {
            let [a, b, c] = ["a", "b", "c"].map(SessionId::from);
            for id in ["a", "b", "c"] {
                begin(tx, id, "hi")?;
            }
            let renamed = tx.rename_session(&a, " Fix\u{200B} it\n")?;
            let auto = (tx.set_auto_title(&b, "Fix it")?, tx.set_auto_title(&c, "Fix it")?);
            let kept = tx.set_auto_title(&a, "Other")?;
            let taken = tx.rename_session(&b, "Fix it");
            Ok((renamed, auto, kept, taken))
        })
        .wait()
        .unwrap();
    assert_eq!(renamed.as_deref(), Some("Fix it"));
    assert_eq!(auto, (Some("Fix it #2".to_owned()), Some("Fix it #3".to_owned())));
    assert_eq!(kept.as_deref(), Some("Fix it"));
    assert!(matches!(taken, Err(StoreError::TitleTaken { holder, .. }) if holder == SessionId::from("a")));
}

#[test]
fn a_deleted_session_can_be_restored_until_it_is_swept() {
    let (folder, store) = new_store();
    let [gone, back] = ["gone", "back"].map(SessionId::from);
    store
        .write_later(|tx| {
            for id in ["gone", "back", "stays"] {
                begin(tx, id, "hi")?;
            }
            tx.rename_session(&SessionId::from("back"), "Title")?;
            tx.mark_deleted(&SessionId::from("back"))
        })
        .wait()
        .unwrap();
    assert_eq!(list(&store, None), ["stays", "gone"]);
    store
        .write_later(|tx| {
            tx.rename_session(&SessionId::from("stays"), "Title")?;
            tx.restore_session(&SessionId::from("back"))?;
            tx.mark_deleted(&SessionId::from("gone"))
        })
        .wait()
        .unwrap();
    assert_eq!(list(&store, None), ["stays", "back"]);
    let title = store.read_here(|reader| reader.session(&back)).unwrap().unwrap().title;
    assert_eq!(title.as_deref(), Some("Title #2"));
    assert!(store.read_here(|reader| reader.session(&gone)).unwrap().is_some());
    drop(store);
    // Ten seconds are over when the store opens next.
    let conn = rusqlite::Connection::open(database(&folder)).unwrap();
    conn.execute("UPDATE sessions SET deleted_at = deleted_at - 11 WHERE id = 'gone'", [])
        .unwrap();
    drop(conn);
    let store = Store::open(database(&folder)).unwrap();
    store.write_later(|_| Ok(())).wait().unwrap();
    assert!(store.read_here(|reader| reader.session(&gone)).unwrap().is_none());
    let left = store.read_here(|reader| reader.history(&gone)).unwrap();
    assert_eq!(left, []);
}

#[test]
fn ids_are_found_by_their_beginning() {
    let (_folder, store) = new_store();
    store
        .write_later(|tx| {
            for id in ["20260101_a", "20260101_ab", "20260102_%"] {
                begin(tx, id, "hi")?;
            }
            Ok(())
        })
        .wait()
        .unwrap();
    let find = |prefix: &'static str| store.read_here(|reader| reader.session_by_prefix(prefix)).unwrap();
    assert_eq!(find("20260101_a"), Some(SessionId::from("20260101_a")));
    assert_eq!(find("20260101_ab"), Some(SessionId::from("20260101_ab")));
    assert_eq!(find("20260102"), Some(SessionId::from("20260102_%")));
    assert_eq!(find("2026"), None);
    assert_eq!(find("%"), None);
}

#[test]
fn usage_adds_up_by_session_and_model() {
    let (_folder, store) = new_store();
    let call = Usage {
        input_tokens: 10,
        output_tokens: 2,
        api_calls: 1,
        last_prompt_tokens: 12,
        ..Usage::default()
    };
    store
        .write_later(move |tx| {
            for id in ["a", "b"] {
                begin(tx, id, "hi")?;
                tx.add_usage(&SessionId::from(id), &route(), "", &call)?;
            }
            let other = ModelRoute {
                model: "big".to_owned(),
                ..route()
            };
            let [a, b] = ["a", "b"].map(SessionId::from);
            tx.add_usage(
                &a,
                &other,
                "",
                &Usage {
                    input_tokens: 100,
                    last_prompt_tokens: 99,
                    ..call
                },
            )?;
            tx.add_usage(&b, &other, "compression", &call)
        })
        .wait()
        .unwrap();
    let totals = |id: Option<&str>| {
        let id = id.map(SessionId::from);
        let usage = store.read_here(|reader| reader.usage(id.as_ref())).unwrap();
        let models: Vec<String> = usage
            .models
            .iter()
            .map(|m| format!("{}={}/{}", m.model, m.usage.input_tokens, m.usage.api_calls))
            .collect();
        (
            usage.total.input_tokens,
            usage.total.api_calls,
            usage.total.last_prompt_tokens,
            models.join(" "),
        )
    };
    assert_eq!(totals(Some("a")), (110, 2, 99, "big=100/1 m-1=10/1".to_owned()));
    assert_eq!(totals(Some("b")), (10, 1, 12, "big=10/1 m-1=10/1".to_owned()));
    assert_eq!(totals(None), (120, 3, 0, "big=110/2 m-1=20/2".to_owned()));
    assert_eq!(totals(Some("nobody")), (0, 0, 0, String::new()));
}
