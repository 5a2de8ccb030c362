//! The numbers of builds, up to the last.

use super::kinds::KINDS;
use super::{build, frozen, id};
use promptc::session::store::{LAST_NUMBER, StoreError};

#[test]
fn numbers_end_where_json_does() {
    for kind in KINDS {
        // The range of exact integers in JSON, RFC 8259 section 6.
        assert_eq!(LAST_NUMBER, (1 << 53) - 1);
        let place = kind.empty();
        let store = &mut *place.open();
        for number in [LAST_NUMBER + 1, i64::MAX as u64 - 1, i64::MAX as u64] {
            let imported = store.import(&id("a"), 1, &[(number, build("b", 1))]);
            assert!(matches!(imported, Err(StoreError::Other(_))), "{number}");
        }
        assert_eq!(store.session(&id("a")).unwrap(), None);
        let last = [(LAST_NUMBER - 1, build("b", 1))];
        assert!(store.import(&id("a"), 1, &last).unwrap());
        let known = store.session(&id("a")).unwrap().unwrap().build;
        let session = frozen(
            store
                .freeze(&id("a"), Some(&known), &build("c", 2))
                .unwrap(),
        );
        assert_eq!(session.build.number, LAST_NUMBER);
        let none = store.freeze(&id("a"), Some(&session.build), &build("d", 3));
        assert!(matches!(none, Err(StoreError::Other(_))), "{none:?}");
        assert_eq!(store.session(&id("a")).unwrap(), Some(session));
        // And the last can go.
        assert!(store.remove(&id("a")).unwrap());
        assert_eq!(store.verify().unwrap(), []);
        frozen(store.freeze(&id("a"), None, &build("e", 4)).unwrap());
        assert_eq!(store.verify().unwrap(), []);
    }
}
