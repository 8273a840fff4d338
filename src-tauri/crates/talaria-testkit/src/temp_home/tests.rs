use super::*;

#[test]
fn makes_homes_and_projects_and_leaves_nothing() {
    let home = TempHome::with_model("http://127.0.0.1:1/v1");
    let config = fs::read_to_string(home.path().join("config.yaml")).unwrap();
    assert_eq!(
        config,
        "model:\n  provider: custom\n  default: scripted\n  base_url: http://127.0.0.1:1/v1\n"
    );
    let template = home.project("template", [("src/a.sh", "echo a\n"), ("README.md", "hi\n")]);
    let copy = home.project_from("copy", &template);
    assert_eq!(fs::read_to_string(copy.join("src/a.sh")).unwrap(), "echo a\n");
    assert_eq!(home.env()[0], ("TALARIA_HOME", home.path()));
    let folder = home.folder.path().to_owned();
    drop(home);
    assert!(!folder.exists());
}
