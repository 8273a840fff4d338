use super::*;

#[test]
fn this_process_is_alive_and_another_start_of_its_pid_is_not() {
    let owner = Owner::this_process();
    assert!(is_alive(owner.pid, &owner.process_started_at));
    #[cfg(target_os = "linux")]
    assert!(!is_alive(owner.pid, "00000000-0000-0000-0000-000000000000:1"));
}

#[test]
fn two_stores_of_one_process_differ() {
    assert_ne!(Owner::this_process().instance, Owner::this_process().instance);
}

#[cfg(target_os = "linux")]
#[test]
fn program_names_with_brackets_do_not_shift_the_fields() {
    let stat = "7 (a) b) (c)) S 1 7 7 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 1";
    assert_eq!(state_and_start(stat), Some(("S", "12345")));
    assert_eq!(state_and_start("7 (a"), None);
}
