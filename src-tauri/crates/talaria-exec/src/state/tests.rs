use super::*;

fn env(pairs: &[(&str, &[u8])]) -> EnvMap {
    pairs
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from_vec(value.to_vec())))
        .collect()
}

#[test]
fn reads_every_way_in_which_bash_writes_a_value() {
    let text = b"/home/a b\n\0declare -x PLAIN=\"a b\"\ndeclare -x NEVER_SET\ndeclare -rx QUOTED=\"\\$x \\`y\\` \\\"z\\\" \\\\ \\n\"\n\
        export LINES_=\"one\ntwo=\\\"2\\\"\"\ndeclare -ax LIST=([0]=\"a\")\ndeclare -x BYTES=$'\\001\\t\\'\\E\\303\\251\\x41\\u00e9'\n\0";
    let handed = parse(text).unwrap();
    assert_eq!(handed.cwd.as_deref(), Some("/home/a b"));
    assert_eq!(
        handed.env,
        env(&[
            ("PLAIN", b"a b"),
            ("QUOTED", b"$x `y` \"z\" \\ \\n"),
            ("LINES_", b"one\ntwo=\"2\""),
            ("BYTES", "\u{1}\t'\u{1b}éAé".as_bytes()),
        ])
    );
}

#[test]
fn what_is_empty_cut_off_or_garbage_is_not_taken() {
    for text in [
        &b""[..],
        b"/tmp\n",
        b"/tmp\n\0declare -x A=\"1\"\n",
        b"/tmp\n\0declare -x A=\"1\0",
        b"/tmp\n\0oops\n\0",
        b"/tmp\n\0declare -x A=$'\\",
    ] {
        assert!(parse(text).is_none(), "{text:?}");
    }
    assert_eq!(parse(b"\0\0").unwrap().cwd, None);
}

#[test]
fn only_what_changed_is_applied() {
    let before = env(&[
        ("A", b"1"),
        ("B", b"2"),
        ("SHLVL", b"1"),
        ("BASH_FUNC_f%%", b"() { :; }"),
    ]);
    let changes = changes(
        &before,
        env(&[("A", b"1"), ("C", b"3"), ("SHLVL", b"2"), ("PWD", b"/")]),
    );
    let mut now = env(&[("A", b"9"), ("B", b"2"), ("BASH_FUNC_f%%", b"() { :; }")]);
    changes.apply(&mut now);
    assert_eq!(now, env(&[("A", b"9"), ("C", b"3"), ("BASH_FUNC_f%%", b"() { :; }")]));
}

#[test]
fn a_variable_that_no_command_could_start_with_is_not_kept() {
    let large = vec![b'x'; 200 * 1024];
    let mut now = EnvMap::new();
    changes(&EnvMap::new(), env(&[("LARGE", &large), ("SMALL", b"x")])).apply(&mut now);
    assert_eq!(now, env(&[("SMALL", b"x")]));
}
