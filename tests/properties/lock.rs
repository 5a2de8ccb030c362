//! Any lock: refused with a line, or the same again from what it is written as; its snapshots are restored or refused.

use super::input::Input;
use promptc::compare::hashed;
use promptc::prompt::Deliver;
use promptc::compare::snapshot::{Lock, Texts};

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [lock, system, user] = [(); 3].map(|()| input.text());
    let Ok(read) = Lock::read("promptc.lock", &lock, "promptc.kdl") else {
        return;
    };
    let written = read.write();
    let again = Lock::read("promptc.lock", &written, "promptc.kdl");
    assert_eq!(again.ok().as_ref(), Some(&read));
    let texts = Texts::from([
        (Deliver::System, system.into_owned()),
        (Deliver::User, user.into_owned()),
    ]);
    for snapshot in read.snapshots.values() {
        let _ = snapshot.kept();
        let inputs = snapshot.inputs().and_then(|all| all.restore(|_, _| Some(Vec::new())));
        assert_eq!(inputs.and_then(|inputs| inputs.fault()), None);
        assert!(snapshot.differences(snapshot).is_empty());
        for texts in [&texts, &Texts::new()] {
            let Ok(restored) = snapshot.restore(texts) else {
                continue;
            };
            if restored.text {
                assert_eq!(restored.prompt.fault(), None);
                for channel in &restored.prompt.channels {
                    assert_eq!(Some(&channel.text), texts.get(&channel.deliver));
                }
            } else {
                assert!(hashed(&restored.prompt, &restored.prompt).same);
            }
        }
    }
}
