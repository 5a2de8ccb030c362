//! The meaning of a fact's name for its value.

/// The words of a name in lower case: `requestId`, `request-id` and `request_id` are the same.
fn words(name: &str) -> String {
    let mut out = String::new();
    let mut last = '_';
    for c in name.chars() {
        if c == '-' || c == '_' || c == '.' {
            out.push('_');
        } else {
            if c.is_uppercase() && last.is_lowercase() {
                out.push('_');
            }
            out.extend(c.to_lowercase());
        }
        last = c;
    }
    out
}

fn is_one_of(name: &str, all: &[&str]) -> bool {
    all.contains(&words(name).as_str())
}

/// Whether a name is one of these, or ends in one after other words.
fn ends_in(name: &str, all: &[&str]) -> bool {
    let words = words(name);
    let ends = |end: &&str| {
        let before = words.strip_suffix(*end);
        before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    all.iter().any(ends)
}

/// Whether a name is that of a clock or of today's date.
#[must_use]
pub(super) fn is_clock(name: &str) -> bool {
    const CLOCKS: &[&str] = &[
        "clock",
        "date",
        "date_now",
        "date_time",
        "date_today",
        "datetime",
        "local_date",
        "local_time",
        "localtime",
        "now",
        "now_utc",
        "time",
        "time_now",
        "timestamp",
        "today",
        "today_date",
        "todays_date",
        "utc_date",
        "utc_now",
        "utc_time",
        "weekday",
    ];
    const ENDS: &[&str] = &[
        "current_date",
        "current_datetime",
        "current_day",
        "current_time",
        "current_timestamp",
    ];
    is_one_of(name, CLOCKS) || ends_in(name, ENDS)
}

/// Whether a name is that of something that differs at nearly every call.
#[must_use]
pub(super) fn is_volatile(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "budget_left",
        "budget_remaining",
        "call_id",
        "commit_hash",
        "commit_sha",
        "compaction_count",
        "context_left",
        "context_remaining",
        "context_usage",
        "context_used",
        "correlation_id",
        "cost_so_far",
        "elapsed",
        "elapsed_time",
        "git_commit",
        "git_diff",
        "git_hash",
        "git_head",
        "git_log",
        "git_sha",
        "git_status",
        "invocation_id",
        "message_count",
        "message_id",
        "message_uuid",
        "msg_id",
        "nonce",
        "process_id",
        "recent_commits",
        "req_id",
        "request_guid",
        "request_id",
        "request_uuid",
        "run_id",
        "run_uuid",
        "running_cost",
        "scratch_dir",
        "scratchpad_dir",
        "session_cost",
        "session_tokens",
        "span_id",
        "temp_dir",
        "temp_path",
        "tempdir",
        "tmp_dir",
        "tmp_path",
        "tmpdir",
        "token_usage",
        "tokens_left",
        "tokens_remaining",
        "tokens_used",
        "tool_call_count",
        "trace_id",
        "turn_count",
        "turn_id",
        "turn_number",
        "turns_left",
        "turns_remaining",
        "turns_used",
        "usage_line",
        "usage_so_far",
    ];
    const ALONE: &[&str] = &[
        "guid",
        "head_commit",
        "last_commit",
        "pid",
        "random",
        "uptime",
        "uuid",
    ];
    is_one_of(name, ALONE) || ends_in(name, ENDS)
}

/// Whether a name is that of something that no two conversations share.
#[must_use]
pub(super) fn is_per_session(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "conversation_id",
        "conversation_uuid",
        "current_branch",
        "current_dir",
        "current_directory",
        "git_branch",
        "session_id",
        "session_uuid",
        "thread_id",
        "working_dir",
        "working_directory",
    ];
    const ALONE: &[&str] = &["branch", "cwd", "hostname", "pwd"];
    is_one_of(name, ALONE) || ends_in(name, ENDS)
}

/// Whether a name says that its value is JSON.
#[must_use]
pub(super) fn is_json(name: &str) -> bool {
    words(name).split('_').any(|word| word == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        for name in [
            "now",
            "currentDate",
            "user_current_time",
            "today",
            "timestamp",
        ] {
            assert!(is_clock(name), "{name}");
        }
        for name in [
            "release_date",
            "timezone",
            "knowledge",
            "datebook",
            "time_limit",
            "timeout",
        ] {
            assert!(!is_clock(name), "{name}");
        }
        for name in [
            "requestId",
            "x-request-id",
            "uuid",
            "git_status",
            "TMPDIR",
            "nonce",
        ] {
            assert!(is_volatile(name), "{name}");
        }
        for name in [
            "user_id",
            "announce",
            "rapid",
            "account_uuid",
            "build_commit",
            "run_identity",
        ] {
            assert!(!is_volatile(name), "{name}");
        }
        assert!(is_per_session("session_id") && is_per_session("cwd"));
        assert!(!is_per_session("session") && !is_per_session("branch_policy"));
        assert!(is_json("tools_json") && is_json("jsonSchema") && !is_json("jsonify"));
    }
}
