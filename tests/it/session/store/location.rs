//! Which files belong to a store, and whether it is there.

use super::{Place, id};
use promptc::session::store::{Location, UnknownKind};
use std::fs;
use std::path::PathBuf;

#[test]
fn a_store_exists_once_its_file_is_not_empty() {
    let place = Place::new();
    let location = Location::File(place.file());
    assert_eq!(location.to_string(), place.file().display().to_string());
    assert!(!location.exists());
    fs::create_dir(place.folder()).unwrap();
    assert!(!location.exists());
    fs::write(place.file(), "").unwrap();
    assert!(location.exists(), "no store begins as an empty file");
    fs::remove_file(place.file()).unwrap();
    let mut store = location.open(1).unwrap();
    assert_eq!(store.session(&id("a")).unwrap(), None);
    assert!(location.exists());
    // A file that is not a store is not ignored.
    assert!(Location::File(place.folder()).exists());
    let below_a_file = Location::File(place.file().join("store.db"));
    assert!(!below_a_file.exists());
}

#[test]
fn a_store_owns_its_files_under_all_their_names() {
    let place = Place::new();
    let location = Location::File(place.file());
    let ends = ["", "-wal", "-shm", "-journal", "-reserve"];
    let files = ends.map(|end| place.beside(end));
    fs::create_dir(place.folder()).unwrap();
    for made in [false, true] {
        if made {
            drop(place.open());
        }
        for file in &files {
            assert!(location.owns(file), "{}, {made}", file.display());
            let name = file.file_name().unwrap();
            let around = place.folder().join("../.promptc").join(name);
            assert!(location.owns(&around), "{}, {made}", around.display());
        }
        for other in ["store.db2", "store.db-wal2", "other.db", "facts.json"] {
            assert!(!location.owns(&place.folder().join(other)), "{other}");
        }
        assert!(!location.owns(&place.folder()));
        assert!(!location.owns(&PathBuf::from("store.db")));
    }
}

#[test]
#[cfg(unix)]
fn a_link_leads_to_the_files_of_the_store() {
    let place = Place::new();
    drop(place.open());
    let link = place.folder().join("link.db");
    std::os::unix::fs::symlink(place.file(), &link).unwrap();
    let location = Location::File(link.clone());
    for file in [link.clone(), place.file(), place.beside("-wal")] {
        assert!(location.owns(&file), "{}", file.display());
    }
    // SQLite creates nothing next to a link.
    assert!(!location.owns(&place.folder().join("link.db-wal")));
    assert!(Location::File(place.file()).owns(&link));
}

#[test]
#[cfg(unix)]
fn a_new_link_in_a_path_is_not_followed() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    drop(place.open());
    let link = place.folder().join("link.db");
    symlink(place.file(), &link).unwrap();
    let linked = place.folder().join("../linked");
    symlink(place.folder(), &linked).unwrap();
    assert!(Location::File(link.clone()).open(1).is_ok());
    assert!(Location::Found(place.file()).open(1).is_ok());
    for path in [link, linked.join("store.db")] {
        let opened = Location::Found(path).open(1).map(|_| ());
        assert!(opened.unwrap_err().to_string().contains("link"));
    }
}

#[test]
fn a_url_is_no_path_and_everything_else_is() {
    for (name, scheme) in [
        ("postgres://ann:secret@host/sessions", "postgres"),
        ("git+ssh://host/x", "git+ssh"),
        ("FILE:///tmp/store.db", "FILE"),
        ("s3://", "s3"),
    ] {
        let unknown = Location::named(name.into()).unwrap_err();
        assert_eq!(unknown, UnknownKind(scheme.to_owned()));
        assert!(!unknown.to_string().contains("secret"));
    }
    for name in [
        "C:\\x\\store.db",
        "C://x/store.db",
        "c:store.db",
        "a:b/store.db",
        "sqlite:store.db",
        "./postgres://store.db",
        "/a/b://c",
        "a b://c",
        "3d://c",
        "://c",
        "ü://c",
        "store.db",
    ] {
        let path = PathBuf::from(name);
        assert_eq!(Location::named(path.clone()), Ok(Location::File(path)));
    }
}
