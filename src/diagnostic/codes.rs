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
        "there is no manifest at the given path, or in this folder and its parents"
        "Without -m the nearest `promptc.kdl` at or above the current directory is read. `promptc init` writes one."
    UNREADABLE_PROGRAM "unreadable-program" World
        "a manifest, template or facts file exists and cannot be read"
        "Check its permissions. promptc never builds without a file that exists but cannot be read."
    PROGRAM_NOT_UTF8 "program-not-utf8" Input
        "a manifest, template or facts file is not UTF-8"
        "The offset is that of the first bad byte. Save the file as UTF-8."
    PROGRAM_TOO_LARGE "program-too-large" Input
        "a manifest or template is larger than 1 MiB, or a layer has more than 100,000 nodes once each `base` is expanded"
        "Move long text into a document and read it with `file`."
    UNKNOWN_BUILTIN "unknown-builtin" Input
        "there is no built-in manifest of that name and version"
        "`promptc init --list` lists the built-in manifests of this release. The version is part of the name: builtin:NAME@N."
    MANIFEST_CYCLE "manifest-cycle" Input
        "a manifest extends or includes itself, directly or through others"
        "`extends` leads from an overlay to its base, `include` from a manifest to its parts. Neither may form a cycle."
    TOO_MANY_BASES "too-many-bases" Input
        "more than 16 manifests extend each other, or includes are nested more than 16 deep"
        "Merge some of the levels."
    UNKNOWN_SLOT "unknown-slot" Input
        "`unset` names a slot that the base does not write"
        "A layer's slots are its content, template, budget, each part, each transform and each property; `promptc explain --merged` shows them with the file that wrote each."
    NO_BASE "no-base" Input
        "`base` is used where the base has no content"
        "`base` is replaced by the content of the layer or part that is refined, with its own transforms and budgets."
    NESTING_TOO_DEEP "nesting-too-deep" Input
        "a manifest is nested deeper than 200 levels, as written or once each `base` is expanded"
        "The limit protects the stack against hostile manifests. Real manifests need fewer than ten levels."
    KDL_SYNTAX "kdl-syntax" Input
        "the manifest is not KDL 2"
        "See kdl.dev for the syntax: nodes end at a line end or `;`, and children are in braces."
    KDL_VERSION_1 "kdl-version-1" Input
        "the manifest uses a spelling of KDL 1"
        "KDL 2 writes #true, #false and #null, and raw strings as #\"…\"#."
    MISSING_LANGUAGE "missing-language" Input
        "the first node is not `promptc 1`"
        "The first node names the language, and with it the bytes that a manifest means in every later release."
    UNSUPPORTED_LANGUAGE "unsupported-language" Input
        "the manifest is written in a language version that this release does not read"
        "This release reads `promptc 1`."
    UNKNOWN_NODE "unknown-node" Input
        "a node of that name does not belong there"
        "A misspelt node would otherwise be ignored, and its text missing from the prompt."
    UNKNOWN_PROPERTY "unknown-property" Input
        "the node has no property of that name"
        "A misspelt property would otherwise be ignored."
    UNKNOWN_VALUE "unknown-value" Input
        "the value is not one of those that the setting takes"
        "The message lists them."
    UNKNOWN_PROVIDER "unknown-provider" Input
        "a table or an option names a provider that is in no table"
        "`promptc providers list` shows all providers. Your own table can declare more with `provider NAME match=RULE { source … }`."
    UNSUPPORTED_TABLE "unsupported-table" Input
        "a table of providers does not say its version and day, or has a version that this release does not read"
        "A table begins with `providers 1 currency=USD as-of=\"YYYY-MM-DD\"`."
    UNKNOWN_MODEL "unknown-model" Input
        "the model is in no table of providers: an error where the answer depends on it, else a warning"
        "`promptc providers list` shows all models. `PROVIDER/MODEL` names the provider of an unknown model, and --providers adds a table."
    BAD_TOOLS "bad-tools" Input
        "the tools channel holds something that is not a tool definition, or not one that this provider takes"
        "Definitions are JSON objects with `name`, `description` and a schema of the arguments, in any provider's format. They are sorted by name within each tier."
    BAD_MESSAGES "bad-messages" Input
        "the history cannot be part of this request"
        "It is a JSON list of messages in the format of the request's provider, the oldest first."
    NOTHING_IMPORTED "nothing-imported" Input
        "the input contains no request that promptc can read"
        "The formats are in docs/capture.md; `--as FORMAT` selects one. Skipped records are counted by reason. A truncated body is never read, because only complete requests can be compared."
    PASSED_OVER "passed-over" Success
        "parts of the input could not be read as requests and were skipped; the rest was read"
        "Each reason is reported once, with its count and its first location. Skipped records are ignored in every result. A request that continues a skipped one is incomplete."
    RECORDING_LACKS "recording-lacks" Success
        "some imported requests lack data that was sent or billed, because their format does not record it"
        "A request with missing parts is incomplete: it is listed and never compared. Missing usage counts as unknown, not as zero. docs/capture.md lists what each format records."
    BAD_UPSTREAM "bad-upstream" Input
        "the recorder cannot forward requests to the upstream that an option or a variable names"
        "An upstream is a name and a URL with a host and a path: `--upstream local=http://127.0.0.1:4000`. A base-URL variable that is already set, such as OPENAI_BASE_URL, stays the upstream of the recorder."
    PORT_TAKEN "port-taken" World
        "the recorder cannot listen on the requested port"
        "Another program listens there, or the port needs more privileges. Without --port the system picks a free one."
    COMMAND_NOT_STARTED "command-not-started" Input
        "the command to record could not be started"
        "The command runs without a shell. To use one, write `promptc capture -o LOG -- sh -c 'A | B'`. No request was recorded."
    NO_RECORDER "no-recorder" World
        "the system does not provide what the recorder needs: a thread, a signal handler or CA certificates"
        "Certificates come from the system, or from the file in SSL_CERT_FILE."
    BAD_LOG "bad-log" Input
        "the file is not a log of requests"
        "`promptc capture import FILE -o LOG` makes a log of recordings by other programs. An invalid line in the middle means that another program changed the log. A truncated last line is skipped."
    LOG_TOO_NEW "log-too-new" Input
        "the log was written by a newer release"
        "Use the release that wrote it, or import its sources again."
    NO_REQUEST "no-request" Input
        "the log has no such request or conversation"
        "`promptc capture show LOG` lists both. Requests are numbered from 1 in log order."
    BAD_USAGE_REPORT "bad-usage-report" Input
        "the file is not a report of `promptc usage`, or its grouping differs"
        "`--add` takes reports that `promptc usage --format json` wrote with the same --by."
    TOO_MANY_MARKS "too-many-marks" Input
        "the request has more breakpoints than the provider takes"
        "Breakpoints in the history and those of the last messages count too."
    OTHER_REQUESTS "other-requests" Success
        "the model's provider takes requests of another shape (a warning)"
        "`promptc emit --help` lists the shapes. If another provider serves a model of the same name, write PROVIDER/MODEL."
    TTL_ORDER "ttl-order" Input
        "a breakpoint with a longer time to live comes after one with a shorter"
        "Providers require the longer ones first, because a prefix cannot stay cached longer than the text before it."
    TTL_NOT_TAKEN "ttl-not-taken" Input
        "the request cannot ask for that time to live"
        "`promptc providers show MODEL` lists the times of a model. Some apply to one kind of request only."
    NO_PREFILL "no-prefill" Input
        "the request cannot prefill the answer"
        "Only some providers let a request end with the beginning of the answer, and none take trailing white space there."
    LIVE_TEXT_STORED "live-text-stored" Input
        "text that changes at every call would be stored at the provider"
        "A stored resource is the same for all calls that use it. Give tiers that change at every call deliver=user."
    UNEXPECTED_ANNOTATION "unexpected-annotation" Input
        "a type annotation is used where none is allowed"
        "The only annotation is (fact)NAME. It puts a fact or let where a source or budget takes a literal."
    DUPLICATE_PROPERTY "duplicate-property" Input
        "a property is written twice on one node"
        "In KDL the last one wins silently. promptc reports it instead: remove one."
    DUPLICATE_NODE "duplicate-node" Input
        "a setting that may appear once appears twice"
        "Remove one of them."
    DUPLICATE_NAME "duplicate-name" Input
        "two things of one kind have the same name"
        "Tiers, layers, roots, facts and lets are each unique in a manifest; facts and lets share their names."
    LOCKED "locked" Input
        "an overlay would change what its base locks"
        "`locked=#true` keeps a layer, tier, fact, root or budget as the base wrote it. An overlay cannot refine, move or remove it. No text, template, let, rule set or budget of an overlay gets into a locked layer."
    RESERVED_NAME "reserved-name" Input
        "templates already use the name for something else"
        "Document attributes (name, path, text, …) and the variables of a layer's template (content, documents, …) are reserved everywhere. Names of skills and reminders are reserved only where a manifest has them."
    INVALID_NAME "invalid-name" Input
        "the name has characters that a name may not have"
        "Facts, lets and parts are template variables: letters, digits and underscores, not a digit first. Other names also take hyphens and dots."
    MISSING_ARGUMENT "missing-argument" Input
        "a node lacks an argument or property that it needs"
        "The message names what is missing."
    EXTRA_ARGUMENT "extra-argument" Input
        "a node has an argument or children that it does not take"
        "Remove it, or quote the text if it was meant as one argument."
    WRONG_TYPE "wrong-type" Input
        "the value has another type than the setting takes"
        "Text is quoted, numbers and #true are not."
    OUT_OF_RANGE "out-of-range" Input
        "a number is outside the range that the setting takes"
        "Sizes are whole numbers from 0; `head` and `tail` are fractions from 0 to 1."
    CONFLICTING_SETTINGS "conflicting-settings" Input
        "two settings of one node exclude each other"
        "Keep one of them."
    FILE_NAME_SYNTAX "file-name-syntax" Input
        "a brace in the name of a file belongs to no `{NAME}`"
        "In the names of files and folders that a source reads, {NAME} is replaced by the value of a fact or let. Double a brace that belongs to the name: {{ and }}."
    DURATION_SYNTAX "duration-syntax" Input
        "a length of time is not written as one"
        "It is written as whole numbers with `d`, `h`, `m` or `s`, the largest unit first and each at most once: 90s, 5m, 1h30m, 7d."
    SEVERAL_CONTENTS "several-contents" Input
        "a layer or part holds more than one content node"
        "Write `all { … }` to join several, or `first { … }` to take the first that has text."
    EMPTY_LAYER "empty-layer" Input
        "a layer has neither content nor template, or a group or part holds nothing"
        "It can never have text."

    // Names and programs, before anything is read
    UNKNOWN_ROOT "unknown-root" Input
        "there is no root of that name"
        "Roots are declared at the top level: root NAME default=\"…\". `manifest` and `text` are built in."
    NO_WORKSPACE_ROOT "no-workspace-root" Input
        "a source without `root=` reads the root `workspace`, and there is none"
        "Declare `root workspace default=\".\"` or write `root=` on the source or a group around it."
    ROOT_CYCLE "root-cycle" Input
        "roots are derived from each other in a cycle"
        "`above=` and `in=` must lead to a root with its own folder."
    TOO_MANY_ROOTS "too-many-roots" Input
        "a root is derived through too many others"
        "A root may be derived through at most 16 others, by `in=` or `above=`."
    UNKNOWN_FACT "unknown-fact" Input
        "there is no fact of that name"
        "Facts are declared at the top level: fact NAME TYPE. A value for an undeclared fact is refused, so that a typo is noticed."
    UNKNOWN_NAME "unknown-name" Input
        "an expression or template uses an unknown name"
        "Facts and lets are known everywhere (a let only after its own line); content, documents and parts in a layer's template; name, path and the other document attributes in where, hide, wrap and marker."
    UNKNOWN_ATTRIBUTE "unknown-attribute" Input
        "a document has no attribute of that name"
        "Documents have name, path, dir, location, root, root_index, label, about, text, meta, chars, total, truncated and replaced."
    UNKNOWN_FILTER "unknown-filter" Input
        "there is no filter of that name"
        "docs/language.md lists the filters."
    UNKNOWN_TEST "unknown-test" Input
        "there is no test of that name"
        "docs/language.md lists the tests that may follow `is`."
    UNKNOWN_FUNCTION "unknown-function" Input
        "there is no function of that name"
        "The functions are exists, loaded, range, dict and namespace."
    FUNCTION_NOT_HERE "function-not-here" Input
        "exists() or loaded() is used where it is not allowed"
        "Both look at sources, so a `let` or a root cannot use them; loaded() must name a layer above."
    LITERAL_REQUIRED "literal-required" Input
        "a name is computed but must be known before the build"
        "exists(), loaded(), include, import and extends take plain quoted names, so that the inputs of a prompt are known without building it."
    UNKNOWN_LAYER "unknown-layer" Input
        "there is no layer of that name"
        "`promptc explain` lists all layers, absent ones included."
    UNKNOWN_TIER "unknown-tier" Input
        "there is no tier of that name"
        "`diff --fail-on-break` takes the tiers of both prompts; an overlay takes those of its base, and those above in the same file."
    OPERAND_NOT_FOUND "operand-not-found" Input
        "there is no file of that name to compare or to query"
        "`promptc diff --help` shows what can be compared, `promptc blame --help` what can be queried."
    ARTIFACT_SYNTAX "artifact-syntax" Input
        "a file begins like an artifact but cannot be read as one"
        "It was truncated or edited. `promptc build --format json -o FILE` writes it whole or not at all."
    ARTIFACT_TOO_NEW "artifact-too-new" Input
        "a later release made the artifact, in a format that this one does not know"
        "Use that release, or build the prompt again with this one."
    ARTIFACT_TOO_OLD "artifact-too-old" Input
        "an earlier release made the artifact, in a format that this one does not read"
        "Build it again: `promptc build --format json -o FILE`."
    LOADED_FORWARD "loaded-forward" Input
        "loaded() names a layer that is not above"
        "Layers are loaded in order; a condition can only look back."
    TEMPLATE_SYNTAX "template-syntax" Input
        "a template is not well formed"
        "Templates are Jinja: {{ expression }}, {% statement %}, {# comment #}."
    EXPRESSION_SYNTAX "expression-syntax" Input
        "an expression is not well formed"
        "when, where and let hold one expression without braces, such as \"'memory' in tools\"."
    TEMPLATE_NOT_FOUND "template-not-found" Input
        "a template file does not exist"
        "Templates are looked up next to the manifest, then in the folder `templates` there, then among the built-in ones."
    INVALID_GLOB "invalid-glob" Input
        "a glob pattern is not well formed"
        "`*` and `?` do not cross a `/`, `**` must be a whole path component, [ab] and {a,b} choose inside one path component."
    PATH_LEAVES_ROOT "path-leaves-root" Input
        "a source names a path outside its root"
        "`..`, absolute names, empty names and empty components are refused: what a layer can read is decided by its root."
    FACT_NOT_USABLE "fact-not-usable" Input
        "a fact of that type cannot be used there"
        "A text content takes a string, number or date; a size takes an int; a file name takes a string or a list of strings. `refresh fact=` of a session takes a fact that is neither private nor `changes=turn`."
    NO_BUDGET "no-budget" Input
        "a setting belongs to a budget that is missing"
        "`reserve=` is a part of the prompt's budget; `min=` is the size that a budget of the tier or the prompt leaves of a layer, in the unit of that budget."
    MIXED_UNITS "mixed-units" Input
        "the budget of a tier counts in another unit than that of the prompt"
        "Budgets of tiers are added up, so they use the unit of the prompt's budget. Budgets of nodes and layers may use any unit."
    UNKNOWN_SCAN "unknown-scan" Input
        "there is no rule set of that name"
        "Rule sets are declared at the top level: scan NAME { rule ID PATTERN }."
    UNKNOWN_SCOPE "unknown-scope" Input
        "a rule set has no scope of that name"
        "The `scopes` of a set are ordered, and each includes those before it. A set without `scopes` has one, `all`."
    SCAN_CYCLE "scan-cycle" Input
        "rule sets extend each other in a cycle"
        "`extends=` must end at a set that extends none."
    PATTERN_SYNTAX "pattern-syntax" Input
        "a pattern of a scan is not well formed, too large, or found in every text"
        "Patterns are regular expressions as the Rust crate `regex` reads them: Unicode, without look-around and back references, so that they run in linear time. A leading (?i) ignores case."
    UNKNOWN_SCENARIO "unknown-scenario" Input
        "there is no scenario of that name"
        "Scenarios are declared at the top level: scenario NAME { set FACT VALUE }. An overlay does not inherit the scenarios of its base."
    UNKNOWN_EXPECT "unknown-expect" Input
        "there is no prefix family of that name"
        "`remove expect=NAME` removes one that is above in the same manifest or in an included file. An overlay does not inherit those of its base."

    // Facts and roots of one build
    FACTS_NOT_JSON "facts-not-json" Input
        "a facts file is not a JSON object"
        "The file is one object whose keys are fact names. Messages never show its values, since they may be private."
    INVALID_SET "invalid-set" Input
        "a --set or --root is not NAME=VALUE"
        "Lists and maps are given as JSON: --set 'tools=[\"read\",\"write\"]'."
    MISSING_FACT "missing-fact" Input
        "a fact has no value"
        "Give it with --set or --facts, or declare a default. Declare optional=#true if the prompt works without it."
    NOT_HERMETIC "not-hermetic" Input
        "--hermetic is given, and a fact or root would be read from the environment, the clock or the home folder"
        "Give its value with --set, --facts, --root or --now, or build a scenario, which uses only the values that it sets. SOURCE_DATE_EPOCH is part of the environment."
    WRONG_FACT_TYPE "wrong-fact-type" Input
        "a fact's value has another type than declared"
        "The value itself is not shown, since it may be private."
    NOT_ONE_OF "not-one-of" Input
        "a fact's value is not one of those that its declaration allows"
        "See the `one-of` of the declaration."
    UNKNOWN_TIME_ZONE "unknown-time-zone" Input
        "there is no time zone of that name"
        "Zones are those of the IANA database that promptc carries, such as Europe/Zurich, and `utc`."
    INVALID_TIME "invalid-time" Input
        "--now or SOURCE_DATE_EPOCH is not a point in time"
        "--now takes RFC 3339, such as 2026-03-30T09:00:00Z; SOURCE_DATE_EPOCH takes whole seconds since 1970."
    MISSING_ROOT "missing-root" Input
        "a root has no folder"
        "Give it with --root NAME=PATH, or declare a default."
    ROOT_GIVEN_TWICE "root-given-twice" Input
        "--root gives several folders to a root that takes one"
        "Only a root with many=#true, and `text`, takes several folders."
    ROOT_NOT_FOLDER "root-not-folder" Input
        "a root is something else than a folder"
        "A folder that does not exist is allowed (its sources are missing), but a file is not."

    // Sources
    MISSING_FILE "missing-file" Input
        "a file that must exist does not"
        "Its source or root says missing=error. Create the file, or write missing=skip."
    INVALID_UTF8 "invalid-utf8" Input
        "a document is not UTF-8"
        "The offset is that of the first bad byte. invalid=missing on the source treats such a file as missing."
    DOCUMENT_TOO_LARGE "document-too-large" Input
        "a document is larger than 64 MiB, alone or with its imports"
        "No prompt has room for it; name another file."
    TOO_MANY_DOCUMENTS "too-many-documents" Input
        "a source finds too much: more than 2,000 files of a glob, 100,000 skills, 10,000 entries of a memory"
        "Narrow the pattern or the root, or divide the file."
    TOO_MANY_IMPORTS "too-many-imports" Input
        "a document imports more files than `limit` allows"
        "All files that a document imports count, directly or indirectly. `imports at limit=N` sets the limit. A file that is imported several times counts each time."
    IMPORT_NOT_MADE "import-not-made" Input
        "an import leads to no file of the root, and missing=error requires one"
        "The path counts from the folder of the file that writes it and stays inside the root of the source. missing=keep leaves such an `@path` as text, missing=drop removes it. Inside code, an `@path` is not an import."
    SCAN_REFUSED "scan-refused" Input
        "a scan found something in a document, and on-hit=error forbids it"
        "The message names the rules and the locations, never the text. on-hit=replace replaces such a document by a placeholder, on-hit=drop leaves it out."
    UNREADABLE_FILE "unreadable-file" World
        "a file or folder exists and cannot be read"
        "promptc never builds without a document that exists. Check its permissions and the disk."
    LINK_LEAVES_ROOT "link-leaves-root" Input
        "a symbolic link leads out of the root"
        "A source reads only inside its root. links=follow on the root permits links, for dotfile managers."
    LINK_LOOP "link-loop" Input
        "symbolic links form a cycle"
        "Remove the link."
    BAD_FILE_NAME "bad-file-name" Input
        "a file's name is not UTF-8 or holds control characters"
        "Names reach the prompt through templates; a line break in one could forge text. Rename the file."
    SEARCH_OUTSIDE_ROOT "search-outside-root" Input
        "a search starts outside the root that limits it"
        "`from=` must name a root whose folder is inside the source's root."
    FRONTMATTER_SYNTAX "frontmatter-syntax" Input
        "a document's front matter is not YAML, or exceeds what a reader allows"
        "`lenient`, as in `frontmatter parse lenient`, reads each `key: value` line of bad YAML."
    PRICES_SYNTAX "prices-syntax" Input
        "a price file is not in litellm's format, or none of its rows can be used"
        "It is the JSON object of `model_prices_and_context_window.json`: a key for each model, its facts as an object."
    JSON_SYNTAX "json-syntax" Input
        "a JSON source is not JSON, or has a key twice"
        "Messages show the position and never the content."

    // Templates and budgets at work
    TEMPLATE_FAILED "template-failed" Input
        "a template or expression failed while it ran"
        "Values are not shown, since they may be private."
    UNDEFINED_VALUE "undefined-value" Input
        "a template uses a value that is missing"
        "Test it first: {% if x %}, `x is defined`, or x | default(\"…\")."
    UNPRINTABLE_VALUE "unprintable-value" Input
        "a template prints a boolean, none, a list or a map"
        "Say how it should look: {{ 'yes' if flag else 'no' }}, {{ list | join(', ') }}, {{ map | json }}."
    TEMPLATE_LIMIT "template-limit" Input
        "a template runs too long, calls itself too deeply or prints too much"
        "The limits are fixed, so that a template that ends on one machine ends on all."
    REQUIRED_LAYER_ABSENT "required-layer-absent" Input
        "a required layer has no text"
        "`promptc explain LAYER` shows what was looked for."
    OVER_BUDGET "over-budget" Input
        "a tier or the prompt is larger than its budget and no layer can shrink further, or a reminder does not fit its budget"
        "Layers shrink inside their own tier, the lowest priority first: down to `min=`, and then to nothing unless they are required. Other tiers stay as they are."

    // Records
    CLOCK_IN_RECORD "clock-in-record" Input
        "a manifest without scenarios takes a fact from the clock, so that its record would differ from day to day"
        "Declare a scenario that sets the fact, such as scenario default { set today \"2026-03-30\" }, or give --now."
    LOCK_CONFLICT "lock-conflict" Input
        "a lock contains merge conflict markers"
        "Resolve the manifest and its files first; `promptc test --accept` then rewrites the lock and the snapshots."
    LOCK_NEWER "lock-newer" Input
        "a lock has a format that a newer release writes"
        "Install that release. A lock that this one cannot read is never overwritten."
    LOCK_OLDER "lock-older" Input
        "a lock has a format that an earlier release wrote"
        "`promptc test --accept` rewrites it from a new build. `promptc diff git:REV` compares the snapshots of such a revision as texts. With --rebuild it builds the prompts of that revision."
    LOCK_MALFORMED "lock-malformed" Input
        "a line of a lock is truncated or malformed"
        "Only `promptc test --accept` writes locks. Run it to rewrite this one."
    LOCK_OF_ANOTHER "lock-of-another-manifest" Input
        "the header of a lock names another manifest than the one next to it"
        "The lock was copied or renamed. `promptc test --accept` rewrites it."
    SNAPSHOT_EDITED "snapshot-edited" Input
        "a snapshot is not the text that its lock describes"
        "A snapshot holds exact bytes: an editor or git may have changed them. `promptc test --accept` rewrites it. In .gitattributes, `snapshots/** -text` keeps git from changing line ends."
    SNAPSHOT_MISSING "snapshot-missing" Input
        "a lock describes a text whose snapshot is missing"
        "Restore the file, or rewrite it with `promptc test --accept`."
    UNREADABLE_RECORD "unreadable-record" World
        "a lock or snapshot exists and cannot be read"
        "Check its permissions."
    NOTHING_SELECTED "nothing-selected" Input
        "there is no record to test"
        "The filter is a part of the path of a manifest or of the name of a scenario. Hidden folders, `target` and `node_modules` are not searched."

    // Git
    NO_GIT "no-git" World
        "the program `git` cannot be run"
        "Revisions are read with git. Install it, or see that it is in PATH."
    NOT_A_REPOSITORY "not-a-repository" Input
        "the current directory is not in a git repository"
        "Revisions are looked up in the repository of the current directory, or in GIT_DIR."
    UNKNOWN_REVISION "unknown-revision" Input
        "git knows no commit of that name here"
        "A shallow clone has the newest commits only: `git fetch --unshallow` gets the others. In CI, ask for the whole history."
    NOT_IN_REVISION "not-in-revision" Input
        "a file is not part of a revision"
        "It may have been added later, or never committed."
    GIT_FAILED "git-failed" World
        "git was ended or failed"
        "The message says what git said."

    // The agent's side
    NO_HINT "no-hint" Input
        "the manifest has no `hint`, which declares what a session gets for a folder"
        "Write `hint` at the top level, such as hint { file \"AGENTS.md\" }. In an overlay, `hint #false` removes the base's `hint`."

    NO_SKILLS "no-skills" Input
        "no layer of the manifest reads skills"
        "`skills \"DIR\"` in a layer reads every SKILL.md below that folder."
    SEVERAL_SKILLS "several-skills" Input
        "several layers read skills, and none is selected"
        "Each layer has its own index, with its own rules of what is listed. Select one with --layer."
    UNKNOWN_SKILL "unknown-skill" Input
        "there is no skill of that name"
        "A skill is called by the `name` of its front matter, else by its folder. `promptc skills list` shows all."
    SKILL_NOT_LISTED "skill-not-listed" Input
        "the skill exists but the manifest does not list it, so it is not shown"
        "`deny`, `allow`, `hide`, `where` and `shadow` of the source decide what is listed, and a scan may leave a skill out. `promptc skills list` shows the reason."

    // Stores of sessions
    STORE_BUSY "store-busy" World
        "another process locked the session store for longer than the wait time"
        "Each transaction is short, so another process hangs or was suspended in the middle of one. --wait SECONDS waits longer."
    STORE_READ_ONLY "store-read-only" World
        "the session store is read-only"
        "Building a session, restoring it and recording a hint all write to the store. The folder must be writable too, because transaction files are next to the store."
    STORE_FULL "store-full" World
        "there is no space left for the session store"
        "The transaction was rolled back, so the store is unchanged."
    STORE_DAMAGED "store-damaged" World
        "the session store was changed by another program than promptc"
        "All data is checked against its hash. A damaged session is neither used nor silently rebuilt, because its conversation depends on the lost text. `promptc session verify` names the damaged sessions, and `promptc session rm ID` removes one. An empty file, or a write-ahead log (`-wal`) without its file, is damage too."
    SESSION_OF_ANOTHER_RELEASE "session-of-another-release" Input
        "another release stored a build of the session, in a format that this one does not read"
        "Its text is still restored byte for byte. Commands that need its map or its plan fail: `promptc build --session ID --refresh` builds the session again, and `promptc session gc --keep 1` removes earlier builds."
    STORE_TOO_NEW "store-too-new" World
        "a later release wrote the session store"
        "The first release that needs a newer format upgrades the store. Earlier releases do not touch it after that."
    NOT_A_STORE "not-a-store" World
        "the path of the session store is something else than a store"
        "--store, the environment variable PROMPTC_STORE and `.promptc/store.db` next to the manifest set the path; the first that exists is used."
    UNKNOWN_STORE_KIND "unknown-store-kind" Input
        "the session store is given as a URL"
        "Sessions are stored in a file, and --store and PROMPTC_STORE take its path. Write `./` before a file name that looks like a URL."
    STORE_UNUSABLE "store-unusable" World
        "the session store cannot be opened, read or written"
        "The message includes the error of the system."
    UNKNOWN_SESSION "unknown-session" Input
        "the store has no session of that name"
        "`promptc session list` lists the sessions. --store, the environment variable PROMPTC_STORE and `.promptc/store.db` next to the manifest select the store; the first that exists is used."
    UNKNOWN_BUILD "unknown-build" Input
        "a session has no build of that number, or it was removed"
        "Builds are numbered from 1 in each session. `promptc session show ID` lists the existing ones. `promptc session gc --keep` removes old ones."
    NO_STORE "no-store" Input
        "there is no session store at that path"
        "--store, the environment variable PROMPTC_STORE and `.promptc/store.db` next to the manifest select the store; the first that exists is used. `promptc build --session ID` creates it."
    SESSION_EXISTS "session-exists" Input
        "a session would be imported under the ID of another one"
        "A stored session is never overwritten. --as NEWID imports it under another ID."
    EXPORT_SYNTAX "export-syntax" Input
        "a file is not an exported session"
        "`promptc session export ID` writes one; `promptc schema session export` prints its schema."
    EXPORT_TOO_NEW "export-too-new" Input
        "a later release exported the session, in a format that this one does not know"
        "Nothing was written. A session is imported whole or not at all."
    EXPORT_TOO_OLD "export-too-old" Input
        "an earlier release exported the session, in a format that this one does not read"
        "Import it with that release. Here `promptc build --session ID` builds the session again."
    EXPORT_CHANGED "export-changed" Input
        "an exported session was changed after it was written"
        "Each text has a hash and the whole document a checksum, so that an import restores it byte for byte. Nothing was written."

    SESSION_MISMATCH "session-mismatch" Input
        "the call is for another identity than the session"
        "The facts of `session { identity … }` identify a session. A call must give each of them the value that it had when the session was built, or none if it had none. Otherwise nothing is printed. Values of private facts are compared by a keyed hash and never shown."
    IMPORTED_PLAN "imported-plan" Input
        "the plan of an imported session does not run"
        "The sender of an export controls its manifest, roots and templates, so only its texts are restored. Live tiers, builds and fact checks need a manifest that you name with -m, which says that you trust its author. A manifest that is found in this folder or above does not count. Live tiers need the exact manifest of the session, file by file. Once rebuilt, the session counts as your own."

    SESSION_REFRESHED "session-refreshed" World
        "another call rebuilt the session or marked a reminder as delivered while this one ran"
        "The output describes the earlier state of the session, and nothing was recorded. Do not send its reminder to the conversation. Run the command again for the current state."

    // The command line
    UNKNOWN_PRESET "unknown-preset" Input
        "there is no preset of that name"
        "`promptc init --list` shows them."
    WOULD_OVERWRITE "would-overwrite" Input
        "a file that would be written exists"
        "Nothing was written. Choose another folder, or move the file away."
    UNKNOWN_CODE "unknown-code" Input
        "there is no diagnostic code of that name"
        "`promptc explain --code list` shows all."
    DUMP_NOT_FOUND "dump-not-found" Input
        "`init --from` names something that is not a file, or a folder without dumps"
        "It takes files with the text of a prompt, or `-` for standard input. Write the output folder before the option: promptc init DIR --from FILE."
    EMPTY_DUMP "empty-dump" Input
        "a dump for `init --from` has no text"
        "A dump is the text of a prompt as it was sent."
    OUTPUT_NOT_WRITTEN "output-not-written" World
        "the output could not be written"
        "An existing file at that path is unchanged."
    UNKNOWN_MEMORY "unknown-memory" Input
        "there is no memory of that name, or several exist and none is selected"
        "`promptc memory` writes the `memory` source of a layer, by the layer's name. `promptc memory list` lists them."
    MEMORY_NOT_WRITABLE "memory-not-writable" Input
        "the manifest or the disk does not allow writing the memory"
        "A layer's memory is writable if it is one regular file at a known path: one `memory` source, without `search=`, in a root with one existing folder. If it reads several files, give each its own layer."
    MEMORY_LOCKED "memory-locked" World
        "another process locked a memory for too long"
        "Each write locks `FILE.lock` next to the memory. --wait sets how long to wait for the lock. The lock ends with its process, so a leftover lock file is harmless."
    LINKED_FILE "linked-file" Input
        "a file that promptc writes is a symbolic link, or below one"
        "Nothing was changed. A repository can contain links to any path of the machine. So promptc never writes, removes or reads records through links below the folder of the manifest or the current directory."
    OUTPUT_IS_INPUT "output-is-input" Input
        "-o names an input of the prompt"
        "Nothing was written. The output would overwrite a manifest, template, facts file or document."
    NO_SUCH_PLACE "no-such-place" Input
        "the prompt has no such line, column, byte or text"
        "Lines and columns count from 1, columns in characters; bytes count from 0. A prompt has a text for each channel that it uses."
    BAD_LINES "bad-lines" Input
        "lines of a batch could not be built"
        "Each is reported with its number. Without --fail-fast the other lines are built. A failed line has its errors in the output, so that line n of the output belongs to line n of the input."
    FACTS_NOT_FOUND "facts-not-found" Input
        "there is no facts file at that path"
        "--facts takes the path of a JSON file, or `-` for standard input."
    OTHER_MANIFEST "other-manifest" Input
        "the session was frozen from a manifest with another name, or with none"
        "Sessions of two agents in one store need different IDs. Or give each agent its own store: --store FILE. A manifest may move if its `name` stays the same. Without a `name`, the stored prompt is restored with a warning, and rebuilding it is an error."
    USAGE "usage" Input
        "the arguments are invalid for the command"
        "`promptc COMMAND --help` shows them."
}

codes! {
    /// The codes of warnings and notes.
    NOTICES;

    NOT_IMPORTED "not-imported" Success
        "an import leads to no file and stays as text"
        "The path counts from the folder of the file that writes it and stays inside the root of the source. One line reports their number; --verbose reports each of them. missing=error makes it an error."
    CUT "cut" Success
        "a budget cut a text"
        "The message says how much was left out; `promptc explain LAYER` shows the sizes. The artifact lists it under `notices`."
    DROPPED "dropped" Success
        "a budget dropped a text, or an import was left out"
        "Either the cut text did not fit, less than `floor` of a total was left, a budget of the tier or prompt dropped the layer, or missing=drop removed an `@path` without a file. `promptc explain --budget` shows the sizes, `promptc explain LAYER` the paths."
    REPLACED "replaced" Success
        "a scan found something, and a placeholder replaced the text, or it was left out"
        "The message names the rules and the locations; `promptc explain LAYER` shows them too. on-hit= of the scan decides about such a text, except= excludes texts from the scan."
    SCAN_FINDING "scan-finding" Success
        "a scan found something in a text that stays"
        "on-hit=warn keeps it. Other values of on-hit= replace such a text, leave it out or fail the build."
    NOT_FROZEN "not-frozen" Success
        "a fact or root is given that was unknown when the session was frozen"
        "An earlier manifest built the session. Facts and roots that it did not declare are ignored until the session is refreshed."
    UNLISTED_TEXT "unlisted-text" Success
        "a text among the snapshots is in no lock"
        "`test --accept` removes only snapshots that the lock lists. Move this file elsewhere."
    FROZEN_FACT "frozen-fact" Success
        "a fact has another value than when the session was frozen, and the new value has no effect"
        "The frozen text was built with the first value. `session { identity NAME }` makes another value an error, and `session { refresh fact=NAME }` rebuilds the session on it. Otherwise use a session ID for each value."
    LITTLE_FROZEN "little-frozen" Success
        "less than half of a new session's tools and system text is frozen"
        "A session keeps the tiers before the first one with `changes=turn`, in each channel. Put that tier last, or give it `deliver=user`. This is reported once, at the first build of the session."
    PRIVATE_NOT_KEPT "private-not-kept" Success
        "a private fact had a value when the session was frozen, and none is given now"
        "A session stores no private values, so each call that builds must give them. Otherwise text that depends on the fact differs."
    UNKNOWN_EVENT "unknown-event" Success
        "a reported event does not trigger a rebuild of the session"
        "`session { refresh event=NAME }` in the manifest declares events; without a `session` block the only event is `compaction`. The `session` block at the time of freezing counts."
    MARKS_BEHIND_LIVE_TEXT "marks-behind-live-text" Success
        "breakpoints on messages are requested, but text that changes at every call comes before them"
        "The prefix after such a text is never reused. With deliver=user the text is sent after the messages."
    STALE_PRICES "stale-prices" Success
        "a price in use was looked up more than 60 days ago"
        "Prices change. Install a newer release, or give your own table with --providers FILE. `promptc providers import` makes one from litellm's price file."
    ROW_LEFT_OUT "row-left-out" Success
        "a row of a price file was skipped, because its values are impossible or ambiguous"
        "A price must be above 0 and at most 10,000 dollars per million tokens. A cached token must cost no more than an input token, and a cache write at most 10 times as much. A minimum prefix has at most a million tokens. Without the row, the built-in data of the model applies, if any."
    EMPTY_PROMPT "empty-prompt" Success
        "the prompt has no text"
        "`promptc explain` shows why each layer is absent. required=#true on a layer makes its absence an error."
    OTHER_CHANNELS "other-channels" Success
        "some layers of the prompt are not in the written text"
        "A tier with `deliver=user` or `deliver=tools` is not sent as system text. `--channel user`, `--channel tools` or `--channel all` writes it. The artifact (`--format json`) has all channels."
    UNMARKED_TIER "unmarked-tier" Success
        "a tier has no breakpoint, because the provider does not cache so short a prefix"
        "A provider caches a prefix from a minimum number of tokens on; `promptc providers show MODEL` shows it. The tier is cached together with the text after it. `promptc explain --model MODEL` shows every breakpoint."
    NOTHING_RECORDED "nothing-recorded" Success
        "the recorder received no model request"
        "The command may ignore the base-URL variables that `promptc capture --print-env` lists. Configure the recorder in the agent's settings (docs/record.md)."
    NOT_RECORDED "not-recorded" Success
        "some requests were forwarded but are not in the log"
        "The log never delays or refuses a request. If the log could not be written, it ends with the last complete exchange."
    REQUESTS_REFUSED "requests-refused" Success
        "the recorder refused requests, with the reason"
        "It takes only requests for 127.0.0.1 and its own port, and none from a web page. Requests that are signed for their host cannot be forwarded, and WebSockets are not recorded."
    UPSTREAM_FAILED "upstream-failed" Success
        "the recorder could not forward requests to a provider"
        "The client got status 502 with the reason. `--upstream NAME=URL` sets the address of a provider. Certificates come from the system, or from the file in SSL_CERT_FILE. A proxy (HTTPS_PROXY) is not used."
    EXEC_FAILED "exec-failed" Success
        "the command of `watch --exec` could not be run, or ends with another code than 0"
        "Its output is above. `watch` goes on, and the command runs again with the next prompt that differs."
    BUILTIN_ROOTS "builtin-roots" Success
        "the folders of a built-in manifest are relative to the current directory"
        "A built-in manifest has no folder of its own. --root NAME=DIR sets other folders. Reported with --verbose."
    OUTSIDE_ROOT "outside-root" Success
        "a path given to `hint` is not in the root of the hint"
        "The path gets no hint. A relative path is resolved in the folder of that root. Reported with --verbose."
    MISSING_FOLDER "missing-folder" Success
        "the folder of a path given to `hint` does not exist"
        "The folders above it still get hints. A path is resolved in the folder of the hint's root, not in the current directory. `--root NAME=PATH` sets another root."
    NOTHING_TOLD "nothing-told" Success
        "a folder of a path given to `hint` has no new hint"
        "Each session gets the hint of a folder once. `promptc session show ID` lists the folders that it got, `promptc session rm ID` forgets them. Reported with --verbose."
    STATS "stats" Success
        "a layer's sizes, for build --stats"
        "With --message-format json, --stats writes one note for each layer, absent ones included. Otherwise it draws a table."
}

/// The code called `name`, of an error or a notice.
#[must_use]
pub fn by_name(name: &str) -> Option<Code> {
    ALL.iter().chain(NOTICES).copied().find(|c| c.name == name)
}
