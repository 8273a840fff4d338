use super::*;

#[test]
fn knows_codes_that_are_no_failures() {
    for (command, code, known) in [
        ("grep x f", 1, true),
        ("grep x f", 2, false),
        ("cat f | /usr/bin/grep x", 1, true),
        ("cd a && LC_ALL=C diff a b", 1, true),
        ("grep x f || make", 1, false),
        ("[ -e x ]", 1, true),
        ("test -e x", 1, true),
        ("find / -name x; ", 1, false),
        ("find / -name x", 1, true),
        ("curl -sf http://x", 22, true),
        ("curl http://x", 3, false),
        ("git diff --exit-code", 1, true),
        ("make", 1, false),
        ("grep x f", 0, false),
        ("", 1, false),
    ] {
        assert_eq!(meaning(command, code).is_some(), known, "{command} {code}");
    }
}
