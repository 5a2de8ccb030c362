//! A folder in which whatever comes from outside is hostile.

use crate::run::Place;

/// Lines of a document. Each would do something in a log of GitHub, Azure, TeamCity or GitLab, or at a terminal.
pub(super) const HOSTILE: &str = "before
::stop-commands::x
  ::add-mask::secret
\t\u{a0}::set-output name=a::b
\u{feff}::error file=a.md::x
::1f2e3d::
##[group]x
a ##[add-mask]b ##vso[task.setvariable variable=a]b
##teamcity[x]
c\r::warning::x
d\u{85}::debug::x\u{2028}::notice::x
\u{1b}[0Ksection_start:1:x\r\u{1b}[0K
\u{1b}]0;title\u{7}\u{1b}[8m\u{9b}2J\u{7f}\u{202e}\u{200b}
\u{1b}[31m::group::x
`` ``` ```` ~~~ </details> <!-- @octocat #1 ![x](https://evil.example) -->
```
::endgroup::
```
after
";

/// A name that does the same: a file, a scenario or a session cannot be called more than that.
pub(super) const NAME: &str = "##[group]##vso[task.x]";

const MANIFEST: &str = r###"promptc 1
name "::add-mask::x ##[group]"
root workspace default="ws"
fact user string default="\u{1b}[31m\n::add-mask::x##[group]"
fact when string default=a
fact url string
scan words { scopes all; rule bad "octocat" scope=all }
tier stable changes=session {
    layer rules { file "AGENTS.md" }
    layer named { file "##[group]##vso[task.x].md" }
    layer missing { file "::stop-commands::x.md" missing=skip }
    layer greeting { template "{{ user }}\n{{ when }}\n" }
    layer literal { text "
::stop-commands::x
##[group]" }
    layer index { skills "skills" { scan words on-hit=warn } }
    layer notes { memory "NOTES.md" }
}
tier turn changes=turn deliver=user { layer echo when="when == 'a ##[group]\n::x::'" { template "{{ url }}" } }
directory-rules { file "AGENTS.md" }
scenario one { set user "::add-mask::x"; set url "##[group]" }
"###;

/// A folder in which whatever may be hostile is.
pub(super) struct Trap(pub(super) Place);

impl Trap {
    pub(super) fn new() -> Self {
        let place = Place::new();
        let manifest = MANIFEST.replace(
            "text \"\n::stop-commands::x\n##[group]\"",
            "text \"\"\"\n::stop-commands::x\n##[group]\n\"\"\"",
        );
        place.file("promptc.kdl", &manifest);
        place.file("ws/AGENTS.md", HOSTILE);
        place.file("ws/a/AGENTS.md", HOSTILE);
        place.file(&format!("ws/{NAME}.md"), HOSTILE);
        place.file("ws/NOTES.md", format!("{HOSTILE}\n§\n##[group]\n§\n::x::"));
        let front = "---\nname: fix\ndescription: \"\\e[31m\\n::add-mask::x ##[group]\"\n---\n";
        place.file("ws/skills/fix/SKILL.md", format!("{front}{HOSTILE}"));
        place.file("ws/skills/fix/more.md", HOSTILE);
        place.file(
            &format!("{NAME}.kdl"),
            "promptc 1\ntier t { layer l { txt \"::x::\" } }\n",
        );
        place.file("bad.kdl", "promptc 1\ntier t { layer l { template \"\"\"\n::stop-commands::x {{ nope }}\n##[group]\n\"\"\" } }\n");
        place.file("long.kdl", "promptc 1\ntier t {\n      layer l { text \"\"\"\n::stop-commands::x\n##[group]\n\"\"\"\n }\n}\n");
        let facts = serde_json::json!({ "url": "::x::\n##[group]\u{1b}[31m\u{9b}2J" });
        place.file("facts.json", facts.to_string());
        place.file(
            "lines.jsonl",
            format!("{facts}\n{{\"::x::\":\"##[group]\"}}\n"),
        );
        let row = serde_json::json!({ "litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 4e-06 });
        let prices = serde_json::json!({ "::x::\n##[group]": row.clone(), "b\u{9b}2J\u{1b}[31m": row, "##vso[a]": 1 });
        place.file("prices.json", prices.to_string());
        place.file("dump.txt", HOSTILE);
        place.file(
            "messages.json",
            serde_json::json!([{ "role": "user", "content": HOSTILE }]).to_string(),
        );
        place.file(
            "not.json",
            "{\"schema\": 1, \"promptc\": \"::x::\\n##[group]\", \"::x::\": 1}",
        );
        let trap = Self(place);
        let facts = ["--facts", "facts.json"];
        for args in [
            &["build", "--format", "json", "-o", "old.json"][..],
            &["build", "--session", NAME],
            &["test", "--accept", "promptc.kdl"],
        ] {
            let args = match args[0] {
                "test" => args.to_vec(),
                _ => [args, &facts].concat(),
            };
            trap.0.run(&args).exits(0);
        }
        let changed = HOSTILE
            .replace("before", "now")
            .replace("c\r", "c ##[group]\r");
        trap.0
            .file("ws/AGENTS.md", format!("{changed}::set-env name=a::b\n"));
        let again = ["build", "--session", NAME, "--refresh"];
        trap.0.run(&[&again[..], &facts].concat()).exits(0);
        trap.0
            .run(&[
                "build",
                "--format",
                "json",
                "-o",
                "new.json",
                "--facts",
                "facts.json",
            ])
            .exits(0);
        trap.0
            .file("ws/AGENTS.md", format!("::group::x\n{changed}"));
        trap.0
            .run(&["session", "export", NAME, "-o", "export.json"])
            .exits(0);
        trap
    }
}
