use super::*;

#[test]
fn tells_one_program_from_what_may_change_the_shell() {
    for command in [
        "true",
        "ls -la /tmp",
        " cargo test --lib ",
        "grep -rn 'a $b; c' src",
        "rg \"x y\" *.rs",
        "./run.sh ~/é",
    ] {
        assert!(is_one_program(command), "{command}");
    }
    for command in [
        "",
        "cd /",
        "export A=1",
        "A=1 make",
        "a; b",
        "a && b",
        "a | b",
        "a > f",
        "echo $HOME",
        "echo \"$(id)\"",
        "echo `id`",
        "a\nb",
        "if true",
        ". ./env",
        "exec ls",
        "'cd' /",
        "\\cd /",
        "echo {a,b}",
        "a # b",
        "a &",
        "a 'open",
        "-x",
        "~/x",
        "printf -v PATH x",
        "time ls",
        "echo a\\ b",
        "(ls)",
        "!ls",
        "unset\tX",
    ] {
        assert!(!is_one_program(command), "{command}");
    }
}

#[test]
fn quotes_any_text_as_one_word() {
    let mut word = String::new();
    quote("it's $HOME\n`x` \\", &mut word);
    assert_eq!(word, "'it'\\''s $HOME\n`x` \\'");
}
