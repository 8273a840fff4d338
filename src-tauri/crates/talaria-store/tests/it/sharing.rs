//! Several processes on one home.

use crate::{child, database, new_store};
use std::time::Duration;
use talaria_protocol::SessionId;
use talaria_store::{Lease, Store, StoreError, StoreOptions};

#[test]
fn a_lease_is_taken_over_once_its_owner_is_killed() {
    let (folder, store) = new_store();
    let id = SessionId::from("s");
    let (mut child, _lines) = child::start("lease", &database(&folder));
    let acquire = || {
        store
            .write_later(|tx| tx.acquire_lease(&SessionId::from("s")))
            .wait()
            .unwrap()
    };
    let Lease::Held(holder) = acquire() else {
        panic!("the child has it")
    };
    assert_eq!(holder.owner.pid, child.id());
    assert_eq!(
        holder.to_string(),
        format!("{} (process {})", holder.owner.program, child.id())
    );
    let others = store.read_here(|reader| reader.leases_of_others()).unwrap();
    assert_eq!(others, [(id.clone(), holder.clone())]);

    // Not ours to give back.
    store
        .write_later(|tx| tx.release_lease(&SessionId::from("s")))
        .wait()
        .unwrap();
    assert_eq!(acquire(), Lease::Held(holder.clone()));

    // Dead but not yet looked after by its parent: a zombie holds nothing.
    child.kill().unwrap();
    while holder.is_alive() {
        std::thread::yield_now();
    }
    assert_eq!(
        acquire(),
        Lease::Acquired {
            taken_from: Some(holder)
        }
    );
    child.wait().unwrap();
    assert_eq!(acquire(), Lease::Acquired { taken_from: None });
    store
        .write_later(|tx| tx.release_lease(&SessionId::from("s")))
        .wait()
        .unwrap();
    assert_eq!(store.read_here(|reader| reader.lease_holder(&id)).unwrap(), None);
}

#[test]
fn two_stores_of_one_process_do_not_share_a_lease() {
    let (folder, store) = new_store();
    let other = Store::open(database(&folder)).unwrap();
    let acquire = |store: &Store| {
        store
            .write_later(|tx| tx.acquire_lease(&SessionId::from("s")))
            .wait()
            .unwrap()
    };
    assert_eq!(acquire(&store), Lease::Acquired { taken_from: None });
    let Lease::Held(holder) = acquire(&other) else {
        panic!("the first store has it")
    };
    assert_eq!(&holder.owner, store.owner());
    // A store that closes gives its leases back.
    drop(store);
    assert_eq!(acquire(&other), Lease::Acquired { taken_from: None });
}

#[test]
fn a_database_that_stays_locked_names_who_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        patience: Duration::from_millis(200),
        ..StoreOptions::default()
    };
    let store = Store::open_with(database(&folder), &options).unwrap();
    let (mut child, _lines) = child::start("lock", &database(&folder));
    let refused = store.write_later(|tx| tx.set_meta("a", Some("b"))).wait();
    let Err(StoreError::Locked { holder, path }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(path, database(&folder));
    #[cfg(target_os = "linux")]
    assert_eq!(holder.map(|holder| holder.pid), Some(child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    store.write_later(|tx| tx.set_meta("a", Some("b"))).wait().unwrap();
}
