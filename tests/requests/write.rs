//! A request of a conversation as a line of the input.

use crate::answer::response;
use crate::body::{Sent, Style, body};
use crate::class::Class;
use crate::json::{J, obj};
use crate::maker::{Line, Maker, Naming, Source};
use crate::model::{Api, Full};
use crate::want::Want;

/// The position of a request among the others.
pub(crate) struct Place {
    pub(crate) want: Want,
    pub(crate) chain: usize,
    pub(crate) mutations: Vec<&'static str>,
}

impl Maker {
    pub(crate) fn write(
        &mut self,
        s: &mut Source,
        f: &Full,
        chained: bool,
        answered: bool,
        place: Place,
    ) {
        let mut sent = self.sent(s, chained);
        sent.lists = lists(&s.full).chain(lists(f)).collect();
        let mut style = Style::draw(&mut self.r, self.bill);
        if s.side {
            style.bill = false;
        }
        let json = body(self.api, f, &sent, &mut style);
        s.answer = self.answer(&f.tools);
        let line = if self.bare {
            json
        } else {
            self.exchange(s, f, json, chained, answered)
        };
        let mut out = String::new();
        line.print(&mut out, &mut style.spelling);
        self.lines.push(Line {
            time: self.time,
            json: out,
            want: place.want,
            conversation: (self.naming != Naming::Nowhere).then(|| self.name.clone()),
            chain: place.chain,
            api: self.api,
            full: f.clone(),
            mutations: place.mutations,
        });
    }

    pub(crate) fn sent(&self, s: &Source, chained: bool) -> Sent {
        let mut sent = Sent {
            lite: self.lite && !s.side,
            heads: self.heads,
            system_role: self.system_role,
            creates: self.chain && !chained && self.api == Api::Anthropic,
            ..Sent::default()
        };
        if chained {
            sent.continues = s.response.clone();
            sent.from = s.full.msgs.len() + s.answer.len();
        }
        if self.api.claude() {
            let session = if self.naming == Naming::Metadata {
                self.name.clone()
            } else {
                format!("other-{}", self.seed)
            };
            if self.naming == Naming::Metadata || self.naming == Naming::Header {
                let user = obj! { "device_id": "d1", "account_uuid": format!("account-{:06}-7d0e1f2a", self.seed), "session_id": session };
                sent.fields
                    .push(("metadata".into(), obj! { "user_id": user.plain() }));
            }
        }
        if self.naming == Naming::Session {
            sent.fields.push(("session_id".into(), J::from(&self.name)));
        }
        sent
    }

    /// A body with what a proxy knows of it: the answer, the time, the URL, the headers.
    pub(crate) fn exchange(
        &mut self,
        s: &mut Source,
        f: &Full,
        json: J,
        chained: bool,
        answered: bool,
    ) -> J {
        let mut line = obj! { "request": json };
        s.response = None;
        if answered && (self.chain || !self.r.one_in(3)) {
            let api = ["msg", "resp"][usize::from(self.api == Api::Responses)];
            let constant = self.class == Some(Class::ConstantId) && !self.chain;
            let id = if constant {
                format!("{api}_answer")
            } else {
                format!("{api}_{}_{}", self.seed, self.fresh)
            };
            line.push(
                "response",
                response(self.api, &id, &f.model, &s.answer, &mut self.r),
            );
            line.push("status", 200_i64);
            s.response = Some(id);
        }
        if self.timed && !self.untimed {
            let time = moment(self.time, self.r.one_in(2));
            line.push("time", time);
        }
        if let Some(url) = self.url(&f.model, f) {
            line.push("url", url);
        }
        line.push("headers", self.headers(s.agent.as_ref()));
        // A request that continues another has its conversation.
        if self.naming == Naming::Beside && !(chained && self.r.one_in(2)) {
            line.push("conversation", &self.name);
        }
        line
    }

    fn headers(&mut self, agent: Option<&String>) -> J {
        let mut headers = vec![
            (
                "Authorization".to_owned(),
                J::from(format!("Bearer {}", self.secret)),
            ),
            ("content-type".to_owned(), J::from("application/json")),
        ];
        if self.naming == Naming::Header {
            let key = *self
                .r
                .pick(&["x-claude-code-session-id", "X-Claude-Code-Session-Id"]);
            headers.push((key.into(), J::from(&self.name)));
        }
        if let Some(a) = agent {
            headers.push(("x-claude-code-agent-id".into(), J::from(a)));
        }
        J::Obj(headers)
    }

    fn url(&mut self, model: &str, f: &Full) -> Option<String> {
        let r = &mut self.r;
        Some(match self.api {
            Api::Anthropic
                if !self.chain && !f.tools.is_empty() && !f.system.is_empty() && self.url == 2 =>
            {
                return None;
            }
            Api::Anthropic => r
                .pick(&[
                    "https://api.anthropic.com/v1/messages",
                    "https://api.anthropic.com/v1/messages?beta=true",
                ])
                .to_string(),
            Api::Invoke => {
                let end = r.pick(&["invoke", "invoke", "invoke-with-response-stream"]);
                format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{model}/{end}")
            }
            Api::Chat => [
                "https://openrouter.ai/api/v1/chat/completions",
                "https://api.deepseek.com/chat/completions",
                "https://api.openai.com/v1/chat/completions",
            ][self.url.min(2)]
            .to_owned(),
            Api::Responses if self.url == 2 => return None,
            Api::Responses => "https://api.openai.com/v1/responses".to_owned(),
            Api::Gemini => {
                let end = r.pick(&["generateContent?", "streamGenerateContent?alt=sse&"]);
                let key = format!("AIzaSy{:033}", self.seed);
                self.secrets.push(key.clone());
                format!(
                    "https://generativelanguage.googleapis.com/v1beta/models/{model}:{end}key={key}"
                )
            }
            Api::Converse => {
                let end = r.pick(&["converse", "converse-stream"]);
                format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{model}/{end}")
            }
        })
    }
}

/// The `system` messages of a request that have a breakpoint. In the next one another spelling of them is a cause, of which
/// `hand` has cases: here they keep theirs. That of the whole request may count as theirs if they are the last.
fn lists(f: &Full) -> impl Iterator<Item = u32> {
    let count = f.msgs.len();
    let is_marked =
        move |n: usize| f.message_mark(n).is_some() || f.marks.top.is_some() && n + 1 == count;
    let of_system = f
        .msgs
        .iter()
        .enumerate()
        .filter(|(_, m)| m.role == "system");
    of_system
        .filter(move |(n, _)| is_marked(*n))
        .map(|(_, m)| m.id)
}

/// RFC 3339, or seconds.
fn moment(ms: i64, words: bool) -> J {
    if !words {
        return J::Seconds(ms);
    }
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    // Days to a date: the calendar repeats every 400 years, and March begins its year here.
    let z = days + 719_468;
    let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (d, m) = (
        doy - (153 * mp + 2) / 5 + 1,
        if mp < 10 { mp + 3 } else { mp - 9 },
    );
    let y = yoe + era * 400 + i64::from(m <= 2);
    let (h, min, s, milli) = (
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1000 % 60,
        rest % 1000,
    );
    J::Str(format!(
        "{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:{s:02}.{milli:03}Z"
    ))
}
