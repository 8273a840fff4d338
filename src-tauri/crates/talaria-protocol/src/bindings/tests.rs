use super::typescript;
use std::path::Path;

#[test]
fn bindings_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/bindings/protocol.ts");
    let expected = typescript();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{} is out of date; run `make bindings`",
        path.display()
    );
}

#[test]
fn integers_are_numbers() {
    assert!(
        !typescript().contains("bigint"),
        "TS_RS_LARGE_INT=number must be set (.cargo/config.toml)"
    );
}
