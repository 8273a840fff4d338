use super::*;

#[test]
fn writers_of_the_file_come_before_readers_and_waiters_do_not_count() {
    let locks = "1: POSIX  ADVISORY  READ 11 08:01:500 128 128\n\
                 1: -> POSIX  ADVISORY  WRITE 12 08:01:500 120 120\n\
                 2: POSIX  ADVISORY  WRITE 13 08:01:501 120 120\n\
                 3: POSIX  ADVISORY  WRITE 14 08:01:999 0 EOF\n";
    assert_eq!(holder_in(locks, &[500, 501], 1), Some(13));
    assert_eq!(holder_in(locks, &[500], 1), Some(11));
    assert_eq!(holder_in(locks, &[501], 13), None);
    assert_eq!(holder_in("", &[500], 1), None);
}
