//! What is written stays.

use crate::{begin, child, database, new_session, new_store};
use talaria_protocol::{Content, Message, QueueEntry, SessionId};
use talaria_store::{NewMessage, Store, StoreError, StoredQueue};

#[test]
fn two_processes_append_a_thousand_messages_each() {
    let (folder, store) = new_store();
    store
        .write_later(|tx| tx.create_session(&new_session("shared")))
        .wait()
        .unwrap();
    let (mut child, lines) = child::start("append", &database(&folder));
    for number in 0..1_000 {
        let message = NewMessage::from(Message::user(format!("parent {number}")));
        store
            .write_later(move |tx| tx.append_message(&SessionId::from("shared"), &message))
            .wait()
            .unwrap();
    }
    assert_eq!(lines.count(), 1_000);
    assert!(child.wait().unwrap().success());
    let history = store
        .read_here(|reader| reader.history(&SessionId::from("shared")))
        .unwrap();
    for who in ["parent", "child"] {
        let said: Vec<String> = history
            .iter()
            .map(|(_, m)| m.content_text())
            .filter(|t| t.starts_with(who))
            .collect();
        let meant: Vec<String> = (0..1_000).map(|number| format!("{who} {number}")).collect();
        assert_eq!(said, meant);
    }
    let session = store
        .read_here(|reader| reader.session(&SessionId::from("shared")))
        .unwrap()
        .unwrap();
    assert_eq!(session.message_count, 2_000);
}

#[test]
fn a_killed_process_loses_nothing_that_it_committed() {
    let (folder, store) = new_store();
    store
        .write_later(|tx| tx.create_session(&new_session("shared")))
        .wait()
        .unwrap();
    drop(store);
    let (mut child, mut lines) = child::start("append for ever", &database(&folder));
    let mut confirmed: Vec<String> = lines.by_ref().take(300).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // What was said before the kill took effect was committed too; a line cut in the middle was not said.
    confirmed.extend(lines.filter(|line| line.split_once(' ').is_some_and(|(_, n)| n.parse::<u32>().is_ok())));
    let store = Store::open(database(&folder)).unwrap();
    let history = store
        .read_here(|reader| reader.history(&SessionId::from("shared")))
        .unwrap();
    assert!(history.len() >= 300);
    for (line, (row, message)) in confirmed.iter().zip(&history).take(300) {
        let number = message.content_text().replace("child ", "");
        assert_eq!(*line, format!("{row} {number}"));
    }
    assert!(
        history.len() + 1 >= confirmed.len(),
        "{} of {}",
        history.len(),
        confirmed.len()
    );
    let session = store
        .read_here(|reader| reader.session(&SessionId::from("shared")))
        .unwrap()
        .unwrap();
    assert_eq!(session.message_count, history.len() as u64);
}

#[test]
fn any_text_comes_back_as_it_was() {
    let (_folder, store) = new_store();
    let texts = [
        "",
        "\0",
        "a\0b\0",
        "\0json:{\"not\": ours}",
        "\u{FFFD}\u{10FFFF}",
        "🙂 \r\n\t",
        &"ß".repeat(3_000_000),
    ];
    let messages: Vec<NewMessage> = texts
        .iter()
        .map(|text| NewMessage::from(Message::user(*text)))
        .collect();
    store
        .write_later(move |tx| {
            tx.create_session(&new_session("s"))?;
            tx.append_messages(&SessionId::from("s"), &messages)
        })
        .wait()
        .unwrap();
    let history = store.read_here(|reader| reader.history(&SessionId::from("s"))).unwrap();
    let read: Vec<Option<Content>> = history.into_iter().map(|(_, message)| message.content).collect();
    let meant: Vec<Option<Content>> = texts.iter().map(|text| Some(Content::from(*text))).collect();
    assert!(read == meant);
}

#[tokio::test]
async fn a_failing_closure_undoes_itself_and_nothing_else() {
    let (_folder, store) = new_store();
    // Hold the thread, so that the three that follow share a commit.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let held = store.write_later(move |_| {
        wait.recv().ok();
        Ok(())
    });
    let first = store.write_later(|tx| tx.set_meta("first", Some("1")));
    let second = store.write_later(|tx| {
        tx.set_meta("second", Some("2"))?;
        tx.rename_session(&SessionId::from("nobody"), "x")
    });
    let third = store.write_later::<(), _>(|tx| {
        tx.set_meta("third", Some("3"))?;
        panic!("on purpose");
    });
    let fourth = store.write_later(|tx| tx.set_meta("fourth", Some("4")));
    go.send(()).unwrap();
    held.await.unwrap();
    first.await.unwrap();
    assert!(matches!(second.await, Err(StoreError::NoSession { .. })));
    assert!(matches!(third.await, Err(StoreError::Panicked)));
    fourth.await.unwrap();
    let kept = store
        .read(|reader| {
            ["first", "second", "third", "fourth"]
                .iter()
                .map(|key| reader.meta(key))
                .collect()
        })
        .await
        .map(|values: Vec<Option<String>>| values.into_iter().map(|v| v.is_some()).collect::<Vec<_>>());
    assert_eq!(kept.unwrap(), [true, false, false, true]);
}

#[tokio::test]
async fn what_was_handed_over_is_written_before_the_store_closes() {
    let (folder, store) = new_store();
    for number in 0..500 {
        drop(store.write_later(move |tx| tx.set_meta(&format!("k{number}"), Some("v"))));
    }
    store.close().await;
    assert!(matches!(
        store.write(|tx| tx.set_meta("late", None)).await,
        Err(StoreError::Closed)
    ));
    let log = folder.path().join("state.db-wal");
    assert!(!log.exists() || log.metadata().unwrap().len() == 0);
    drop(store);
    let store = Store::open(database(&folder)).unwrap();
    assert_eq!(
        store.read(|reader| reader.meta("k499")).await.unwrap().as_deref(),
        Some("v")
    );
}

#[tokio::test]
async fn queue_and_draft_survive_a_restart() {
    let (folder, store) = new_store();
    let id = SessionId::from("s");
    let queue = StoredQueue {
        entries: ["b", "a"]
            .map(|e| QueueEntry {
                entry_id: e.to_owned(),
                text: format!("do {e}"),
            })
            .to_vec(),
        paused: true,
    };
    let stored = queue.clone();
    let kept = store
        .write(move |tx| {
            let id = SessionId::from("s");
            assert!(!tx.set_draft(&id, "too early")?);
            assert!(matches!(tx.set_queue(&id, &stored), Err(StoreError::NoSession { .. })));
            begin(tx, "s", "hello")?;
            tx.set_queue(&id, &stored)?;
            tx.set_draft(&id, "first")?;
            tx.set_draft(&id, "half a thou")
        })
        .await;
    assert!(kept.unwrap());
    drop(store);
    let store = Store::open(database(&folder)).unwrap();
    let (read, draft) = store
        .read(move |reader| Ok((reader.queue(&id)?, reader.draft(&id)?)))
        .await
        .unwrap();
    assert_eq!((read, draft.as_str()), (queue, "half a thou"));
}
