//! The changes in the messages.

use super::{Cause, Kind, Prefix};
use crate::request::whole::part::{Message, Part};
use data_encoding::HEXLOWER;
use std::sync::Arc;

/// Names what changed, and counts what is the same. Whether B is longer than A, if nothing changed.
pub(super) fn compare(
    a: &[Arc<Message>],
    b: &[Arc<Message>],
    causes: &mut Vec<Cause>,
    reused: &mut Prefix,
) -> bool {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    for message in &a[..same] {
        reused.take(&message.blocks, &message.blocks, false);
    }
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    let Some(first) = rest_a.first() else {
        return !rest_b.is_empty();
    };
    if let Some(now) = rest_b.first()
        && first.role == now.role
        && first.extra == now.extra
    {
        reused.take(&first.blocks, &now.blocks, true);
        if rest_a.len() == 1 && first.begins(now) {
            return true;
        }
    }
    causes.push(cause(rest_a, rest_b, same));
    false
}

/// The change at the first message that differs.
fn cause(a: &[Arc<Message>], b: &[Arc<Message>], at: usize) -> Cause {
    let place = format!("messages/{at}");
    let begins = |a: &[Arc<Message>], b: &[Arc<Message>]| !a.is_empty() && continues(a, b);
    let (Some(old), Some(new)) = (a.first(), b.first()) else {
        let mut cause = Cause::new(Kind::MessageDropped, place);
        cause.count = Some(a.len());
        return cause;
    };
    let dropped = (1..a.len()).find(|n| begins(&a[*n..], b));
    let inserted = (1..b.len()).find(|n| begins(a, &b[*n..]));
    let edited = match a.len() {
        1 => inserted.is_none(),
        _ => begins(&a[1..], b.get(1..).unwrap_or_default()),
    };
    if edited {
        let blocks = old.blocks.iter().zip(&new.blocks);
        let block = blocks.take_while(|(x, y)| x == y).count();
        let mut blocks = [old, new].map(|message| message.blocks.get(block));
        let after = |message: &Message| message.blocks.get(block + 1).cloned();
        // Where a block is gone the next one stands in its place; where one is new, that of before is the next.
        if after(old).is_some_and(|next| blocks[1] == Some(&next)) {
            blocks[1] = None;
        } else if after(new).is_some_and(|next| blocks[0] == Some(&next)) {
            blocks[0] = None;
        }
        let mut cause = Cause::new(Kind::MessageEdited, place);
        cause.role = Some(old.role.clone());
        cause.block = Some(block);
        cause.block_type = blocks.into_iter().flatten().next().and_then(Part::kind);
        let [before, now] = apart(blocks);
        return match (before, now) {
            (Some(before), Some(now)) => cause.at_line(&before, &now),
            (before, now) => {
                cause.line = Some(1);
                let first = |words: Option<String>| Some(words?.lines().next()?.to_owned());
                (cause.old, cause.new) = (first(before), first(now));
                cause
            }
        };
    }
    let (kind, count) = match (dropped, inserted) {
        (Some(n), None) => (Kind::MessageDropped, n),
        (None, Some(n)) => (Kind::MessageInserted, n),
        (Some(n), Some(m)) if n <= m => (Kind::MessageDropped, n),
        (Some(_), Some(m)) => (Kind::MessageInserted, m),
        (None, None) => return Cause::new(Kind::HistoryRewritten, place),
    };
    let mut cause = Cause::new(kind, place);
    cause.count = Some(count);
    cause
}

/// Two blocks in words; what the words do not tell apart a part of its hash does.
pub(super) fn apart(blocks: [Option<&Part>; 2]) -> [Option<String>; 2] {
    let words = blocks.map(|block| block.map(Part::in_words));
    if words[0] != words[1] {
        return words;
    }
    let hashed = |block: &Part| {
        let hash = HEXLOWER.encode(&block.id.digest()[..4]);
        format!("{} [{hash}]", block.in_words())
    };
    blocks.map(|block| block.map(hashed))
}

/// Whether B begins with all of A; in the last message of A it may go on.
fn continues(a: &[Arc<Message>], b: &[Arc<Message>]) -> bool {
    let Some((last, front)) = a.split_last() else {
        return true;
    };
    b.starts_with(front) && b.get(front.len()).is_some_and(|now| last.begins(now))
}
