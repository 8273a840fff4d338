use super::*;

#[test]
fn cursors_come_back_exactly_and_garbage_does_not() {
    let at = 1_764_550_000.123_456_7_f64;
    assert_eq!(
        read_cursor(&format!("{:016x}:20260101_000000_abc:d", at.to_bits())),
        Some((at, "20260101_000000_abc:d".to_owned()))
    );
    for garbage in ["", "x", "zz:id", "7ff8000000000001:id"] {
        assert_eq!(read_cursor(garbage), None, "{garbage}");
    }
}
