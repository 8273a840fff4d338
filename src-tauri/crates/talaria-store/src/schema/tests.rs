use super::*;
use insta::assert_snapshot;

const NEXT: &[Migration] = &[
    (2, "ALTER TABLE sessions ADD COLUMN colour TEXT;"),
    (2, "CREATE TABLE later (x);"),
];

fn open_new(folder: &tempfile::TempDir) -> (Connection, PathBuf) {
    let path = folder.path().join("state.db");
    let conn = Connection::open(&path).unwrap();
    (conn, path)
}

fn schema_text(conn: &Connection) -> String {
    let mut statement = conn
        .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        .unwrap();
    let rows: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    rows.join(";\n")
}

#[test]
fn the_schema_is_as_released() {
    let conn = Connection::open_in_memory().unwrap();
    migrate(&conn, Path::new("unused"), 0, SCHEMA_VERSION, migrations()).unwrap();
    assert_eq!(version(&conn).unwrap(), Version::Ours(SCHEMA_VERSION));
    assert_snapshot!("schema", schema_text(&conn));
}

#[test]
fn every_migration_has_a_number_that_is_known() {
    for (number, sql) in migrations() {
        assert!((1..=SCHEMA_VERSION).contains(number), "{number}: {sql}");
    }
    for number in 1..=SCHEMA_VERSION {
        assert!(migrations().any(|(of, _)| *of == number), "nothing has number {number}");
    }
}

#[test]
fn a_filled_database_is_backed_up_before_it_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let (conn, path) = open_new(&folder);
    assert_eq!(migrate(&conn, &path, 0, 1, migrations()).unwrap(), None);
    conn.execute("INSERT INTO state_meta VALUES ('a', 'b')", []).unwrap();
    let backup = migrate(&conn, &path, 1, 2, NEXT.iter()).unwrap().unwrap();
    assert_eq!(version(&conn).unwrap(), Version::Ours(2));
    conn.execute("UPDATE sessions SET colour = 'red'", []).unwrap();
    let copy = Connection::open(backup).unwrap();
    assert_eq!(version(&copy).unwrap(), Version::Ours(1));
    let value: String = copy
        .query_row("SELECT value FROM state_meta WHERE key = 'a'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(value, "b");
}

#[test]
fn a_migration_that_fails_leaves_the_number_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let (conn, path) = open_new(&folder);
    migrate(&conn, &path, 0, 1, migrations()).unwrap();
    let broken: &[Migration] = &[(2, "CREATE TABLE later (x);"), (2, "ALTER TABLE nowhere ADD COLUMN x;")];
    assert!(migrate(&conn, &path, 1, 2, broken.iter()).is_err());
    assert_eq!(version(&conn).unwrap(), Version::Ours(1));
    assert!(!schema_text(&conn).contains("later"));
    migrate(&conn, &path, 1, 2, NEXT.iter()).unwrap();
    assert_eq!(version(&conn).unwrap(), Version::Ours(2));
}

#[test]
fn a_migration_that_another_process_did_meanwhile_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let (conn, path) = open_new(&folder);
    let other = Connection::open(&path).unwrap();
    migrate(&other, &path, 0, 1, migrations()).unwrap();
    migrate(&conn, &path, 0, 1, migrations()).unwrap();
    assert_eq!(version(&conn).unwrap(), Version::Ours(1));
}
