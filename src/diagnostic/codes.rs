//! All diagnostic codes, each with a one-sentence summary and the details that `explain --code` prints. Every error
//! code needs a case in `tests/diagnostics/`.

use super::{Code, ExitClass};

macro_rules! codes {
    (
        $(#[$about:meta])* $list:ident;
        $($ident:ident $name:literal $fault:ident $summary:literal $detail:literal)*
    ) => {
        $(
            #[doc = $summary]
            pub const $ident: Code = Code {
                name: $name,
                exit: ExitClass::$fault,
                summary: $summary,
                detail: $detail,
            };
        )*
        $(#[$about])*
        pub const $list: &[Code] = &[$($ident),*];
    };
}

codes! {
    /// All codes of errors, in the order of the stages that report them.
    ALL;

    // Reading a manifest
    MANIFEST_NOT_FOUND "manifest-not-found" Input
        "there is no manifest at the given place, here or above"
        "Without -m, the nearest `promptc.kdl` at or above the current directory is read. `promptc init` writes one."
    UNREADABLE_PROGRAM "unreadable-program" World
        "a manifest, template or facts file cannot be read"
        "Check its permissions."
    PROGRAM_NOT_UTF8 "program-not-utf8" Input
        "a manifest, template or facts file is not UTF-8"
        "The offset is that of the first bad byte. Save the file as UTF-8."
    PROGRAM_TOO_LARGE "program-too-large" Input
        "a manifest or template exceeds 1 MiB, or a layer 100,000 nodes with what each `base` stands for"
        "Put long text into a document, and name it with `file`."
    UNKNOWN_BUILTIN "unknown-builtin" Input
        "there is no built-in manifest of that name and version"
        "`promptc init --list` lists them. The version is part of the name: builtin:NAME@N."
    MANIFEST_CYCLE "manifest-cycle" Input
        "a manifest extends or includes itself, directly or through others"
        "Remove one `extends` or `include` of the circle."
    TOO_MANY_BASES "too-many-bases" Input
        "more than 16 manifests extend each other, or files include each other as deeply"
        "Merge some of them."
    UNKNOWN_SLOT "unknown-slot" Input
        "`unset` names a slot that the base does not write"
        "A layer's slots are its content, template, budget, parts, transforms and properties. `promptc explain --merged` lists them with their files."
    NO_BASE "no-base" Input
        "`base` appears where the base has no content"
        "`base` stands for the content of the refined layer or part, with its transforms and budgets."
    NESTING_TOO_DEEP "nesting-too-deep" Input
        "a manifest nests deeper than 200 levels, with what each `base` stands for"
        "The limit protects the stack; real manifests need fewer than ten levels."
    KDL_SYNTAX "kdl-syntax" Input
        "the manifest is not KDL 2"
        "Nodes end at a line end or `;`, children are in braces. kdl.dev describes the syntax."
    KDL_VERSION_1 "kdl-version-1" Input
        "the manifest uses KDL 1 syntax"
        "KDL 2 writes #true, #false and #null, and raw strings as #\"…\"#."
    MISSING_LANGUAGE "missing-language" Input
        "the first node is not `promptc 1`"
        "The first node names the language version, which fixes the bytes that a manifest builds to in every later release."
    UNSUPPORTED_LANGUAGE "unsupported-language" Input
        "this release does not read that language version"
        "It reads `promptc 1`."
    UNKNOWN_NODE "unknown-node" Input
        "a node of that name is not allowed there"
        "An ignored misspelling would leave its text out of the prompt."
    UNKNOWN_PROPERTY "unknown-property" Input
        "the node has no property of that name"
        "Check the spelling."
    UNKNOWN_VALUE "unknown-value" Input
        "the setting does not take that value"
        "The message lists those that it takes."
    UNKNOWN_PROVIDER "unknown-provider" Input
        "no table has that provider"
        "`promptc providers list` lists them. Your own table declares others with `provider NAME match=RULE { source … }`."
    UNSUPPORTED_TABLE "unsupported-table" Input
        "a table of providers lacks its version or day, or has an unknown version"
        "A table begins with `providers 1 currency=USD as-of=\"YYYY-MM-DD\"`."
    UNKNOWN_MODEL "unknown-model" Input
        "no table has that model: an error where the answer needs it, else a warning"
        "`promptc providers list` lists them. `PROVIDER/MODEL` names the provider of an unknown model; --providers adds a table."
    BAD_TOOLS "bad-tools" Input
        "the tools channel holds something that is no tool definition, or none of this provider"
        "A definition is a JSON object with `name`, `description` and a schema of its arguments, in any provider's form. Definitions are sorted by name within their tier."
    BAD_MESSAGES "bad-messages" Input
        "the history cannot be part of such a request"
        "It is a JSON list of messages in the provider's own form, the oldest first."
    NOTHING_IMPORTED "nothing-imported" Input
        "nothing that was named is a request that promptc can read"
        "docs/capture.md lists the formats; `--as FORMAT` selects one. The message counts what was skipped, by reason."
    PASSED_OVER "passed-over" Success
        "some of what was named could not be read as requests"
        "Each reason is reported once, with its count and first place. A request that continues a skipped one is incomplete."
    RECORDING_LACKS "recording-lacks" Success
        "some imported requests lack what was sent or billed, since their format does not have it"
        "A request that lacks a part is listed and never compared. docs/capture.md says what each format has."
    BAD_UPSTREAM "bad-upstream" Input
        "the recorder cannot use that upstream"
        "An upstream is a name and a URL with a host and a path: `--upstream local=http://127.0.0.1:4000`. A base-URL variable that is set, such as OPENAI_BASE_URL, is one too."
    PORT_TAKEN "port-taken" World
        "the recorder cannot listen at that port"
        "Another program uses the port, or it needs more rights. Without --port, the system picks a free one."
    COMMAND_NOT_STARTED "command-not-started" Input
        "the command to record could not be started"
        "It runs without a shell; `promptc capture -o LOG -- sh -c 'A | B'` uses one. No request was recorded."
    NO_RECORDER "no-recorder" World
        "the system does not provide what the recorder needs: a thread, a signal, or certificates"
        "Certificates are those of the system, or of the file in SSL_CERT_FILE."
    BAD_LOG "bad-log" Input
        "the file is no log of requests"
        "`promptc capture import FILE -o LOG` makes one. A bad line in the middle means that another program changed the log; a truncated last line is skipped."
    LOG_TOO_NEW "log-too-new" Input
        "a newer release wrote the log"
        "Use that release, or import the original recording again."
    NO_REQUEST "no-request" Input
        "the log has no such request or conversation"
        "`promptc capture show LOG` lists both. Requests are numbered from 1."
    BAD_USAGE_REPORT "bad-usage-report" Input
        "the file is no report of `promptc usage`, or is grouped differently"
        "`--add` takes output of `promptc usage --format json`, all with the same --by."
    TOO_MANY_MARKS "too-many-marks" Input
        "there are more breakpoints than the provider takes"
        "Breakpoints in the history and on the last messages count too."
    OTHER_REQUESTS "other-requests" Success
        "the model's provider takes requests of another shape; a warning"
        "`promptc emit --help` lists the shapes. If another provider serves a model of that name, write PROVIDER/MODEL."
    TTL_ORDER "ttl-order" Input
        "a breakpoint with a longer time to live comes after one with a shorter"
        "Providers take the longer ones first."
    TTL_NOT_TAKEN "ttl-not-taken" Input
        "the request cannot ask for that time to live"
        "`promptc providers show MODEL` lists those of a model. Some apply to one kind of request only."
    NO_PREFILL "no-prefill" Input
        "the provider does not take this beginning of an answer"
        "Only some providers let a request end with the beginning of the answer, and none with trailing white space."
    LIVE_TEXT_STORED "live-text-stored" Input
        "text that changes at every call would be stored with the provider"
        "A stored resource is the same for all calls. Give tiers that change at every call deliver=user."
    UNEXPECTED_ANNOTATION "unexpected-annotation" Input
        "a type annotation is not allowed there"
        "The only annotation is (fact)NAME, which uses a fact or let in place of a literal in a source or budget."
    DUPLICATE_PROPERTY "duplicate-property" Input
        "a property is written twice on one node"
        "Remove one. KDL alone would silently use the last."
    DUPLICATE_NODE "duplicate-node" Input
        "a setting that is allowed once appears twice"
        "Remove one of them."
    DUPLICATE_NAME "duplicate-name" Input
        "two things of one kind have the same name"
        "Names of tiers, layers, roots, facts and lets are unique in a manifest; facts and lets share theirs."
    LOCKED "locked" Input
        "an overlay would change what its base locks"
        "No overlay refines, moves or removes what has `locked=#true`, and nothing of an overlay gets into a locked layer."
    RESERVED_NAME "reserved-name" Input
        "templates already use the name for something else"
        "Reserved are document attributes (name, path, text, …) and what a layer's template sees (content, documents, …), and with skills or reminders also theirs."
    INVALID_NAME "invalid-name" Input
        "the name has characters that are not allowed"
        "Facts, lets and parts take letters, digits and underscores, and start with no digit. Other names also take hyphens and dots."
    MISSING_ARGUMENT "missing-argument" Input
        "a node lacks an argument or property that it needs"
        "The message names it."
    EXTRA_ARGUMENT "extra-argument" Input
        "a node has an argument or children that it does not take"
        "Remove it. If it is part of the text, put the text in quotes."
    WRONG_TYPE "wrong-type" Input
        "the value has another type than the setting takes"
        "Quote text; do not quote numbers and #true."
    OUT_OF_RANGE "out-of-range" Input
        "a number is outside the range that the setting takes"
        "Sizes are whole numbers from 0; `head` and `tail` are fractions from 0 to 1."
    CONFLICTING_SETTINGS "conflicting-settings" Input
        "two settings of one node exclude each other"
        "Keep one of them."
    FILE_NAME_SYNTAX "file-name-syntax" Input
        "a brace in a file name belongs to no `{NAME}`"
        "In the names that a source reads, {NAME} is the value of a fact or let. Write a literal brace twice: {{ and }}."
    DURATION_SYNTAX "duration-syntax" Input
        "a length of time has a wrong form"
        "Write whole numbers with `d`, `h`, `m` or `s`, the largest unit first, each at most once: 90s, 5m, 1h30m, 7d."
    SEVERAL_CONTENTS "several-contents" Input
        "a layer or part holds more than one content node"
        "`all { … }` joins several, `first { … }` takes the first that has text."
    EMPTY_LAYER "empty-layer" Input
        "a layer has neither content nor template, or a group or part is empty"
        "It can never have text. Fill or remove it."

    // Names and programs, before anything is read
    UNKNOWN_ROOT "unknown-root" Input
        "there is no root of that name"
        "Declare it at the top level: root NAME default=\"…\". `manifest` and `text` are built in."
    NO_WORKSPACE_ROOT "no-workspace-root" Input
        "a source without `root=` reads the root `workspace`, which is missing"
        "Declare `root workspace default=\".\"`, or write `root=` on the source or a group around it."
    ROOT_CYCLE "root-cycle" Input
        "roots are derived from each other in a circle"
        "`above=` and `in=` must lead to a root with a folder of its own."
    TOO_MANY_ROOTS "too-many-roots" Input
        "a root is derived through more than 16 others"
        "Each `in=` or `above=` to a derived root counts."
    UNKNOWN_FACT "unknown-fact" Input
        "there is no fact of that name"
        "Declare it at the top level: fact NAME TYPE. Unknown names are refused, so that a typo is noticed."
    UNKNOWN_NAME "unknown-name" Input
        "an expression or template uses an unknown name"
        "Facts are known everywhere, a let after its line, content and documents in a layer's template, document attributes in where, hide, wrap and marker."
    UNKNOWN_ATTRIBUTE "unknown-attribute" Input
        "a document has no attribute of that name"
        "Documents have name, path, dir, location, root, root_index, label, about, text, meta, chars, total, truncated and replaced."
    UNKNOWN_FILTER "unknown-filter" Input
        "there is no filter of that name"
        "docs/templates.md lists the filters."
    UNKNOWN_TEST "unknown-test" Input
        "there is no test of that name"
        "docs/templates.md lists the tests that may come after `is`."
    UNKNOWN_FUNCTION "unknown-function" Input
        "there is no function of that name"
        "The functions are exists, loaded, range, dict and namespace."
    FUNCTION_NOT_HERE "function-not-here" Input
        "exists() or loaded() is not allowed there"
        "Both look at sources, so a `let` or a root cannot use them; loaded() must name a layer above."
    LITERAL_REQUIRED "literal-required" Input
        "a name that must be known before the build is computed"
        "exists(), loaded(), include, import and extends take quoted names only."
    UNKNOWN_LAYER "unknown-layer" Input
        "there is no layer of that name"
        "`promptc explain` lists all layers, absent ones included."
    UNKNOWN_TIER "unknown-tier" Input
        "there is no tier of that name"
        "`diff --fail-on-break` takes the tiers of both prompts. An overlay takes those of its base, and those above in the same file."
    OPERAND_NOT_FOUND "operand-not-found" Input
        "there is no file of that name"
        "`promptc diff --help` and `promptc blame --help` list what the commands take."
    ARTIFACT_SYNTAX "artifact-syntax" Input
        "a file starts as an artifact and cannot be read as one"
        "It was truncated or edited. `promptc build --format json -o FILE` writes a new one."
    ARTIFACT_TOO_NEW "artifact-too-new" Input
        "a later release made the artifact, in a format that this one does not read"
        "Use that release, or build the prompt again."
    ARTIFACT_TOO_OLD "artifact-too-old" Input
        "an earlier release made the artifact, in a format that this one does not read"
        "Make it again: `promptc build --format json -o FILE`."
    LOADED_FORWARD "loaded-forward" Input
        "loaded() names a layer that does not come before"
        "Layers are loaded in order; a condition can only look back."
    TEMPLATE_SYNTAX "template-syntax" Input
        "a template is not well formed"
        "Templates are Jinja: {{ expression }}, {% statement %}, {# comment #}."
    EXPRESSION_SYNTAX "expression-syntax" Input
        "an expression is not well formed"
        "when, where and let hold one expression without braces, such as \"'memory' in tools\"."
    TEMPLATE_NOT_FOUND "template-not-found" Input
        "a template file does not exist"
        "Templates are looked up next to the manifest, then in its folder `templates`, then among the built-in ones."
    INVALID_GLOB "invalid-glob" Input
        "a glob pattern is not well formed"
        "`*` and `?` do not cross a `/`, `**` is a path component of its own, [ab] and {a,b} choose inside one component."
    PATH_LEAVES_ROOT "path-leaves-root" Input
        "a source names a place outside its root"
        "`..`, absolute names, empty names and empty components are not allowed."
    FACT_NOT_USABLE "fact-not-usable" Input
        "a fact of that kind is not allowed there"
        "Text takes a string, number or date; a size an int; a file name a string or a list of strings; `refresh fact=` no private fact and none that differs at every turn."
    NO_BUDGET "no-budget" Input
        "a setting needs a budget that is missing"
        "`reserve=` belongs to the prompt's budget; `min=` needs a budget of the tier or the prompt, and counts in its unit."
    MIXED_UNITS "mixed-units" Input
        "the budget of a tier counts in another unit than that of the prompt"
        "Use the prompt's unit for all tiers. Budgets of nodes and layers may have others."
    UNKNOWN_SCAN "unknown-scan" Input
        "there is no rule set of that name"
        "Declare it at the top level: scan NAME { rule ID PATTERN }."
    UNKNOWN_SCOPE "unknown-scope" Input
        "a rule set has no scope of that name"
        "The `scopes` of a set are ordered, and each includes those before it. Without `scopes`, a set has one, `all`."
    SCAN_CYCLE "scan-cycle" Input
        "rule sets extend each other in a cycle"
        "`extends=` must end at a set that extends none."
    PATTERN_SYNTAX "pattern-syntax" Input
        "a scan pattern is not well formed, too large, or matches every text"
        "Patterns are regular expressions of the Rust crate `regex`: Unicode, without look-around and back references. (?i) ignores case."
    UNKNOWN_SCENARIO "unknown-scenario" Input
        "there is no scenario of that name"
        "Declare it at the top level: scenario NAME { set FACT VALUE }. An overlay does not inherit scenarios."
    UNKNOWN_EXPECT "unknown-expect" Input
        "there is no prefix family of that name"
        "`remove expect=NAME` removes one that appears above in the same manifest or in an included file. An overlay does not inherit families."

    // Facts and roots of one build
    FACTS_NOT_JSON "facts-not-json" Input
        "a facts file is not a JSON object"
        "Its keys are fact names. Its values are never shown, since they may be private."
    INVALID_SET "invalid-set" Input
        "a --set or --root is not NAME=VALUE"
        "Write lists and maps as JSON: --set 'tools=[\"read\",\"write\"]'."
    MISSING_FACT "missing-fact" Input
        "a fact has no value"
        "Give it with --set or --facts, or declare a default or optional=#true."
    NOT_HERMETIC "not-hermetic" Input
        "with --hermetic, a fact or root would be read from the environment, the clock or the home folder"
        "Give its value with --set, --facts, --root or --now, or build a scenario. SOURCE_DATE_EPOCH is part of the environment."
    WRONG_FACT_TYPE "wrong-fact-type" Input
        "a fact's value has another type than declared"
        "The value is not shown, since it may be private."
    NOT_ONE_OF "not-one-of" Input
        "a fact's value is not one that its declaration allows"
        "See the `one-of` of the declaration."
    UNKNOWN_TIME_ZONE "unknown-time-zone" Input
        "there is no time zone of that name"
        "Zones are `utc` and those of the IANA database in promptc, such as Europe/Zurich."
    INVALID_TIME "invalid-time" Input
        "--now or SOURCE_DATE_EPOCH is not a point in time"
        "--now takes RFC 3339, such as 2026-03-30T09:00:00Z; SOURCE_DATE_EPOCH takes whole seconds since 1970."
    MISSING_ROOT "missing-root" Input
        "a root has no folder"
        "Give it with --root NAME=PATH, or declare a default."
    ROOT_GIVEN_TWICE "root-given-twice" Input
        "--root gives several folders to a root that takes one"
        "Only `text` and roots with many=#true take several."
    ROOT_NOT_FOLDER "root-not-folder" Input
        "a root is not a folder"
        "The folder may be missing, but no file may be in its place."

    // Sources
    MISSING_FILE "missing-file" Input
        "a file that must exist does not"
        "Its source or root says missing=error. Create the file, or write missing=skip."
    INVALID_UTF8 "invalid-utf8" Input
        "a document is not UTF-8"
        "The offset is that of the first bad byte. With invalid=missing, the source treats such a file as missing."
    DOCUMENT_TOO_LARGE "document-too-large" Input
        "a document is larger than 64 MiB, alone or with its imports"
        "Name another file."
    TOO_MANY_DOCUMENTS "too-many-documents" Input
        "a source finds more than 2,000 files of a glob, 100,000 skills, or 10,000 entries of a memory"
        "Narrow the pattern or the root, or divide the file."
    TOO_MANY_IMPORTS "too-many-imports" Input
        "a document imports more files than `limit` allows"
        "Files that imported files import count too. `imports at limit=N` sets the limit."
    IMPORT_NOT_MADE "import-not-made" Input
        "an import leads to no file of the root, and missing=error requires one"
        "The path counts from the folder of the importing file and stays inside the root. missing=keep leaves the `@path` as text, missing=drop removes it."
    SCAN_REFUSED "scan-refused" Input
        "a scan found something in a document, and on-hit=error forbids that"
        "The message names the rules and places. on-hit=replace puts a placeholder in its place, on-hit=drop leaves it out."
    UNREADABLE_FILE "unreadable-file" World
        "a file or folder exists and cannot be read"
        "Check permissions and the disk."
    LINK_LEAVES_ROOT "link-leaves-root" Input
        "a symbolic link leads out of the root"
        "links=follow on the root permits links."
    LINK_LOOP "link-loop" Input
        "symbolic links form a cycle"
        "Remove the link."
    BAD_FILE_NAME "bad-file-name" Input
        "a file name is not UTF-8 or has control characters"
        "Rename the file: templates can print its name, and a line break in it could forge text."
    SEARCH_OUTSIDE_ROOT "search-outside-root" Input
        "a search starts outside its root"
        "`from=` must name a root whose folder is inside the source's root."
    FRONTMATTER_SYNTAX "frontmatter-syntax" Input
        "a document's front matter is not YAML, or too large"
        "`frontmatter parse lenient` reads each `key: value` line of bad YAML."
    PRICES_SYNTAX "prices-syntax" Input
        "a file of prices is not litellm's, or has no usable row"
        "It is the JSON object of `model_prices_and_context_window.json`: a key for each model, with an object."
    JSON_SYNTAX "json-syntax" Input
        "a JSON source is not JSON, or has a key twice"
        "The message gives the position, never the content."

    // Templates and budgets at work
    TEMPLATE_FAILED "template-failed" Input
        "a template or expression failed while it ran"
        "Values are not shown, since they may be private."
    UNDEFINED_VALUE "undefined-value" Input
        "a template uses a missing value"
        "Test it first: {% if x %}, `x is defined`, or x | default(\"…\")."
    UNPRINTABLE_VALUE "unprintable-value" Input
        "a template prints a boolean, none, a list or a map"
        "Say how to print it: {{ 'yes' if flag else 'no' }}, {{ list | join(', ') }}, {{ map | json }}."
    TEMPLATE_LIMIT "template-limit" Input
        "a template runs too long, calls itself too deeply or prints too much"
        "The limits are the same on every machine."
    REQUIRED_LAYER_ABSENT "required-layer-absent" Input
        "a required layer is absent"
        "`promptc explain LAYER` shows what was looked for."
    OVER_BUDGET "over-budget" Input
        "a tier or the prompt exceeds its budget and no layer can shrink further, or no part of a reminder fits its own budget"
        "Layers shrink within their tier, the lowest priority first: to `min=`, then to nothing unless they are required."

    // Records
    CLOCK_IN_RECORD "clock-in-record" Input
        "a manifest without scenarios takes a fact from the clock, so its record would change daily"
        "Declare a scenario that sets the fact, such as scenario default { set today \"2026-03-30\" }, or give --now."
    LOCK_CONFLICT "lock-conflict" Input
        "a lock holds the markers of a merge conflict"
        "Resolve the manifest and its files first, then run `promptc test --accept`."
    LOCK_NEWER "lock-newer" Input
        "a newer release wrote the lock"
        "Install that release. A lock that cannot be read is never overwritten."
    LOCK_OLDER "lock-older" Input
        "an earlier release wrote the lock, in a format that this one does not read"
        "`promptc test --accept` writes it again. `promptc diff git:REV` compares the snapshots of such a revision as texts."
    LOCK_MALFORMED "lock-malformed" Input
        "a line of a lock is malformed"
        "Only `promptc test --accept` writes locks; run it again."
    LOCK_OF_ANOTHER "lock-of-another-manifest" Input
        "the header of a lock names another manifest"
        "The lock was copied or renamed. `promptc test --accept` writes it again."
    SNAPSHOT_EDITED "snapshot-edited" Input
        "a snapshot is not the text that its lock describes"
        "An editor or git may have changed its bytes. `promptc test --accept` writes it again; `snapshots/** -text` in .gitattributes keeps git from changing line ends."
    SNAPSHOT_MISSING "snapshot-missing" Input
        "the snapshot of a text in a lock is missing"
        "Restore the file, or run `promptc test --accept`."
    UNREADABLE_RECORD "unreadable-record" World
        "a lock or snapshot cannot be read"
        "Check its permissions."
    NOTHING_SELECTED "nothing-selected" Input
        "there is no record to test"
        "The filter is a part of a manifest's path or of a scenario's name. Hidden folders, `target` and `node_modules` are not searched."

    // Git
    NO_GIT "no-git" World
        "the program `git` cannot be run"
        "Install git, and check that it is in PATH."
    NOT_A_REPOSITORY "not-a-repository" Input
        "the current directory is in no git repository"
        "Revisions are looked up in the repository around the current directory, or in GIT_DIR."
    UNKNOWN_REVISION "unknown-revision" Input
        "git knows no commit of that name here"
        "A shallow clone has the newest commits only: `git fetch --unshallow` gets the others."
    NOT_IN_REVISION "not-in-revision" Input
        "a file is not part of a revision"
        "It was added later, or never committed."
    GIT_FAILED "git-failed" World
        "git failed or was stopped"
        "The message has git's own words."

    // The agent's side
    NO_HINT "no-hint" Input
        "the manifest has no `hint`"
        "Declare it at the top level, such as hint { file \"AGENTS.md\" }. `hint #false` in an overlay removes that of its base."

    NO_SKILLS "no-skills" Input
        "no layer of the manifest reads skills"
        "`skills \"DIR\"` in a layer reads every SKILL.md below that folder."
    SEVERAL_SKILLS "several-skills" Input
        "several layers read skills, and none was selected"
        "Each layer has an index of its own; --layer names one."
    UNKNOWN_SKILL "unknown-skill" Input
        "there is no skill of that name"
        "A skill has the `name` of its front matter, else that of its folder. `promptc skills list` lists all."
    SKILL_NOT_LISTED "skill-not-listed" Input
        "the manifest does not list the skill, so it is not shown"
        "`deny`, `allow`, `hide`, `where`, `shadow` or a scan left it out. `promptc skills list` gives the reason."

    // Stores of sessions
    STORE_BUSY "store-busy" World
        "another process holds the store of sessions for too long"
        "Each step of a store is short, so that process hangs or was stopped. --wait SECONDS waits longer."
    STORE_NOT_IGNORED "store-not-ignored" Success
        "a new store is in a folder `.promptc` whose `.gitignore` does not ignore all files"
        "Prompts of sessions are private, and the file was there before the store. Write `*` as its only line."
    STORE_READ_ONLY "store-read-only" World
        "the store of sessions cannot be written"
        "Freezing a session, and recording its use or a hint, all write, to the store and to its folder."
    STORE_FULL "store-full" World
        "there is no room left for the store of sessions"
        "A step that does not fit is undone as a whole."
    STORE_DAMAGED "store-damaged" World
        "something other than promptc changed the store of sessions"
        "Texts are compared with their hashes. A damaged session is neither used nor silently rebuilt. `promptc session verify` names those that are damaged, `promptc session rm ID` removes one."
    SESSION_OF_ANOTHER_RELEASE "session-of-another-release" Input
        "another release kept the build of a session, in a format that this one does not read"
        "Its text is still restored. `promptc build --session ID --refresh` rebuilds the session; `promptc session gc --keep 1` removes earlier builds."
    STORE_TOO_NEW "store-too-new" World
        "a later release wrote the store of sessions"
        "The first release that needs to upgrade a store does; earlier ones then refuse it."
    NOT_A_STORE "not-a-store" World
        "the file is no store of sessions"
        "--store, else PROMPTC_STORE, names the store; the default is `.promptc/store.db` next to the manifest."
    UNKNOWN_STORE_KIND "unknown-store-kind" Input
        "a store of sessions is named by a URL"
        "--store and PROMPTC_STORE take the path of a file. `./` before a name makes any name a path."
    STORE_UNUSABLE "store-unusable" World
        "the store of sessions cannot be opened, read or written"
        "The message has the system's reason."
    UNKNOWN_SESSION "unknown-session" Input
        "the store has no session of that name"
        "`promptc session list` lists them. --store FILE names another store."
    UNKNOWN_BUILD "unknown-build" Input
        "a session has no build of that number, or no longer"
        "`promptc session show ID` lists the builds, numbered from 1; `promptc session gc --keep` removes old ones."
    NO_STORE "no-store" Input
        "there is no store of sessions at the given place"
        "--store, else PROMPTC_STORE, names it; the default is `.promptc/store.db` next to the manifest. `promptc build --session ID` creates it."
    SESSION_EXISTS "session-exists" Input
        "a session would be imported under the ID of another one"
        "A stored session is never overwritten. --as NEWID takes another ID."
    EXPORT_SYNTAX "export-syntax" Input
        "a file is no exported session"
        "`promptc session export ID` writes one; `promptc schema session export` prints its schema."
    EXPORT_TOO_NEW "export-too-new" Input
        "a later release exported the session, in a format that this one does not read"
        "Nothing was written. Import it with that release."
    EXPORT_TOO_OLD "export-too-old" Input
        "an earlier release exported the session, in a format that this one does not read"
        "Import it with that release, or build the session again: `promptc build --session ID`."
    EXPORT_CHANGED "export-changed" Input
        "an exported session was changed after it was written"
        "It does not match its checksum. Nothing was written."

    SESSION_MISMATCH "session-mismatch" Input
        "the call is for another identity than the session"
        "`session { identity … }` declares the facts that identify a session. Each call must give them the values of the first build, or none where that had none. No value is shown."
    IMPORTED_PLAN "imported-plan" Input
        "the plan of an imported session does not run"
        "Its manifest, roots and templates are from the author of the export, so promptc restores only texts. Live tiers, builds and fact checks need a manifest that the call names with -m, which says that you trust it; live tiers need exactly the one that the session was built from."

    SESSION_REFRESHED "session-refreshed" World
        "another call rebuilt the session or reported its drift meanwhile"
        "The output describes the earlier state, and no delivery was recorded. Do not send its reminder; run the command again."

    // The command line
    UNKNOWN_PRESET "unknown-preset" Input
        "there is no preset of that name"
        "`promptc init --list` lists them."
    WOULD_OVERWRITE "would-overwrite" Input
        "a file that would be written exists"
        "Nothing was written. Choose another folder, or move the file away."
    UNKNOWN_CODE "unknown-code" Input
        "there is no diagnostic code of that name"
        "`promptc explain --code list` lists them."
    DUMP_NOT_FOUND "dump-not-found" Input
        "`init --from` names no file, or a folder without dumps"
        "It takes files with the text of a prompt, or `-` for standard input. The target folder comes first: promptc init DIR --from FILE."
    EMPTY_DUMP "empty-dump" Input
        "a dump for `init --from` has no text"
        "A dump is the text of a prompt as it was sent."
    OUTPUT_NOT_WRITTEN "output-not-written" World
        "the output could not be written"
        "An existing file at that place is unchanged."
    UNKNOWN_MEMORY "unknown-memory" Input
        "there is no memory of that name, or several and none is named"
        "A memory has the name of its layer. `promptc memory list` lists them."
    MEMORY_NOT_WRITABLE "memory-not-writable" Input
        "a memory cannot be written"
        "A layer's memory is writable if it is one regular file at a known place: one `memory` source, without `search=`, in a root with one existing folder."
    MEMORY_LOCKED "memory-locked" World
        "another process held the lock of a memory for too long"
        "A writer locks `FILE.lock` for the time of one write; --wait sets how long others wait. A leftover file blocks no one."
    LINKED_FILE "linked-file" Input
        "a file that promptc writes is a link, or below one"
        "Nothing was changed. A repository can hold links to any place, so none below the folder of the manifest or the current directory is followed."
    OUTPUT_IS_INPUT "output-is-input" Input
        "-o names a file that the prompt is made from"
        "Nothing was written. Choose another file."
    NO_SUCH_PLACE "no-such-place" Input
        "the prompt has no such line, column, byte or text"
        "Lines and columns count from 1, columns in characters; bytes count from 0. Each channel has a text of its own."
    BAD_LINES "bad-lines" Input
        "some lines of a batch could not be built"
        "Each is reported with its number. Without --fail-fast the others are built, and line n of the output belongs to line n of the input."
    FACTS_NOT_FOUND "facts-not-found" Input
        "there is no facts file at the given place"
        "--facts takes the path of a JSON file, or `-` for standard input."
    OTHER_MANIFEST "other-manifest" Input
        "the session was frozen from a manifest of another name, or of an unknown one"
        "Two agents in one store need different session IDs, or a store each: --store FILE. A manifest that has a `name` may move."
    USAGE "usage" Input
        "the command does not take these arguments"
        "`promptc COMMAND --help` lists those that it takes."
}

codes! {
    /// The codes of warnings and notes.
    NOTICES;

    NOT_IMPORTED "not-imported" Success
        "an import leads to no file and stays as text"
        "The path counts from the folder of the importing file and stays inside the root. --verbose lists each; missing=error makes it an error."
    CUT "cut" Success
        "a budget cut a text"
        "The message says how much was left out; `promptc explain LAYER` shows the calculation. The artifact lists it under `notices`."
    DROPPED "dropped" Success
        "a budget or a missing import removed a text"
        "The text did not fit even when cut, less than `floor` was left, or its tier or prompt was over budget; or missing=drop removed an `@path` without a file. `promptc explain --budget` shows the calculation."
    REPLACED "replaced" Success
        "a scan found something, and the text was replaced or left out"
        "The message names the rules and places; `promptc explain LAYER` shows them too. on-hit= on the scan decides what happens, except= excludes documents."
    SCAN_FINDING "scan-finding" Success
        "a scan found something in a text that stays"
        "on-hit=warn keeps it. Other values replace the text, leave it out or fail the build."
    NOT_FROZEN "not-frozen" Success
        "a fact or root is given that the frozen session does not know"
        "An earlier manifest made the session. The value is ignored until the session is refreshed."
    UNLISTED_TEXT "unlisted-text" Success
        "a text in the snapshots folder is in no lock"
        "`test --accept` removes only snapshots that the lock lists. Move the file away."
    FROZEN_FACT "frozen-fact" Success
        "a fact has another value than when the session was frozen; the new value has no effect"
        "`session { identity NAME }` makes that an error, `session { refresh fact=NAME }` rebuilds the session. Else use a session ID for each value."
    LITTLE_FROZEN "little-frozen" Success
        "less than half of a new session's tools and system text is frozen"
        "A session freezes the tiers before the first with `changes=turn`. Put that tier last, or give it `deliver=user`. Reported once."
    PRIVATE_NOT_KEPT "private-not-kept" Success
        "a private fact had a value when the session was frozen, and has none now"
        "A session stores no private values, so each call that builds must give them."
    UNKNOWN_EVENT "unknown-event" Success
        "no `refresh event=` declares the reported event"
        "`session { refresh event=NAME }` declares events; without a `session` block there is one, `compaction`."
    MARKS_BEHIND_LIVE_TEXT "marks-behind-live-text" Success
        "breakpoints on messages are requested, but text that changes at every call comes before them"
        "What follows such text is never the same prefix again. deliver=user puts it after the messages."
    STALE_PRICES "stale-prices" Success
        "a price is more than 60 days old"
        "Use a newer release, or your own table: --providers FILE. `promptc providers import` makes one from litellm's file of prices."
    ROW_LEFT_OUT "row-left-out" Success
        "a row of a file of prices was skipped as implausible or ambiguous"
        "promptc's own row, if it has one, is used. A price is at most 10,000 dollars for a million tokens, a read costs at most as much as input, a write at most 10 times that."
    EMPTY_PROMPT "empty-prompt" Success
        "the prompt has no text"
        "It is about the system text; with --format json, about all texts. `promptc explain` says of every layer why it is absent. required=#true on a layer makes its absence an error."
    OTHER_CHANNELS "other-channels" Success
        "some layers are not in the text that was written"
        "Tiers with `deliver=user` or `deliver=tools` go to other places of the request. `--channel user`, `tools` or `all` writes them."
    UNMARKED_TIER "unmarked-tier" Success
        "a tier has no breakpoint, because the prefix is too short for the model to cache"
        "`promptc providers show MODEL` gives the minimum. The tier is cached with what comes after it."
    NOTHING_RECORDED "nothing-recorded" Success
        "no model call reached the recorder"
        "The command may use another base URL. `promptc capture --print-env` lists the variables; docs/record.md says how to configure an agent."
    NOT_RECORDED "not-recorded" Success
        "some requests were sent and are not in the log"
        "A request never waits for the log or fails because of it. All lines of the log are whole."
    REQUESTS_REFUSED "requests-refused" Success
        "the recorder refused requests, with the reason"
        "It takes requests for 127.0.0.1 and its own port only, none from a web page, none that is signed for its host, and no WebSocket."
    UPSTREAM_FAILED "upstream-failed" Success
        "a provider did not take requests that the recorder sent"
        "The client got status 502 with the reason. `--upstream NAME=URL` names a provider's address, SSL_CERT_FILE a file of certificates."
    EXEC_FAILED "exec-failed" Success
        "the command of `watch --exec` could not be run, or failed"
        "`watch` goes on, and runs the command again with the next prompt that differs."
    BUILTIN_ROOTS "builtin-roots" Success
        "the folders of a built-in manifest count from the current directory"
        "--root NAME=DIR names others. Shown with --verbose."
    OUTSIDE_ROOT "outside-root" Success
        "a path given to `hint` is outside the root of the hint"
        "It has no hint. A relative path counts from the folder of that root. Shown with --verbose."
    MISSING_FOLDER "missing-folder" Success
        "the folder of a path given to `hint` does not exist"
        "Hints of the folders above are given. A path counts from the folder of the hint's root; `--root NAME=PATH` names another."
    NOTHING_TOLD "nothing-told" Success
        "a folder given to `hint` has nothing new"
        "Each session gets the hint of a folder once; `promptc session show ID` lists them, `promptc session rm ID` forgets them. Shown with --verbose."
    STATS "stats" Success
        "a layer's sizes, for build --stats"
        "With --message-format json, --stats writes one note for each layer, absent ones too. Without it, --stats prints a table."
}

/// The code called `name`, of an error or a notice.
#[must_use]
pub fn by_name(name: &str) -> Option<Code> {
    ALL.iter().chain(NOTICES).copied().find(|c| c.name == name)
}
