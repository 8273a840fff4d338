use super::*;

#[test]
fn the_home_is_what_was_asked_for_or_the_persons() {
    let asked = Env::of([("TALARIA_HOME", "/srv/talaria"), ("HOME", "/home/a")]);
    assert_eq!(Home::resolve_in(&asked).unwrap().path(), Path::new("/srv/talaria"));
    let usual = Env::of([("TALARIA_HOME", ""), ("HOME", "/home/a")]);
    assert_eq!(
        Home::resolve_in(&usual).unwrap().database(),
        Path::new("/home/a/.talaria/state.db")
    );
}

#[cfg(unix)]
#[test]
fn a_new_home_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("deep/home"));
    home.create().unwrap();
    home.create().unwrap();
    assert_eq!(home.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(home.is_writable());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_home_that_cannot_be_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let home = Home::at(folder.path().join("file/home"));
    let refused = home.create().unwrap_err();
    assert!(
        matches!(&refused, ConfigError::Unwritable { path, .. } if path == home.path()),
        "{refused}"
    );
    assert!(!home.is_writable());
}
