use super::*;

#[test]
fn closer_names_come_first_and_five_at_most() {
    let names = [
        "NW.TXT",
        "nw.md",
        "nw.txt.bak",
        "old-nw.txt",
        "wn.txt",
        "zzzzzzzz.txt",
        "unrelated.rs",
    ];
    let names = names.map(str::to_owned).to_vec();
    assert_eq!(
        best("nw.txt", names),
        ["NW.TXT", "nw.md", "nw.txt.bak", "old-nw.txt", "wn.txt"]
    );
    assert_eq!(best("nw.txt", vec!["new.txt".into()]), ["new.txt"]);
    assert!(best("nw.txt", vec!["unrelated.rs".into()]).is_empty());
}
