//! Every code with one sentence and what `explain --code` tells more. An error's code needs a case in
//! `tests/diagnostics/`.

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
        "there is no manifest at the place named, here or above"
        "Without -m the nearest `promptc.kdl` at or above the current directory is read. `promptc init` writes one."
    UNREADABLE_PROGRAM "unreadable-program" World
        "a manifest, template or facts file exists and cannot be read"
        "Check its permissions; promptc stops rather than build without it."
    PROGRAM_NOT_UTF8 "program-not-utf8" Input
        "a manifest, template or facts file is not UTF-8"
        "The offset is that of the first bad byte. Save the file as UTF-8."
    PROGRAM_TOO_LARGE "program-too-large" Input
        "a manifest or template is larger than 1 MiB, or a layer more than 100,000 nodes with what each `base` stands for"
        "Long text belongs into a document that a layer names with `file`."
    UNKNOWN_BUILTIN "unknown-builtin" Input
        "there is no built-in manifest of that name and version"
        "`promptc init --list` shows those that this release carries. A version is part of the name: builtin:NAME@N."
    MANIFEST_CYCLE "manifest-cycle" Input
        "a manifest extends or includes itself, directly or by way of others"
        "`extends` leads from an overlay to its base, `include` from a manifest to parts of it; both must end somewhere."
    TOO_MANY_BASES "too-many-bases" Input
        "more than 16 manifests extend each other, or files include each other as deeply"
        "Each level costs its reader a file to open. Merge some of them."
    UNKNOWN_SLOT "unknown-slot" Input
        "`unset` names a slot that the base does not write"
        "A layer's slots are its content, template, budget, each part, each transform and each property; `promptc explain --merged` shows them with the file that wrote each."
    NO_BASE "no-base" Input
        "`base` stands where the base has no content"
        "`base` stands for the content of the layer or part that is refined, with its own transforms and budgets."
    NESTING_TOO_DEEP "nesting-too-deep" Input
        "a manifest nests deeper than 200 levels, or does so with what each `base` stands for"
        "The bound keeps a hostile manifest from exhausting the stack; real ones need fewer than ten."
    KDL_SYNTAX "kdl-syntax" Input
        "the manifest is not KDL 2"
        "See kdl.dev for the syntax: nodes end at a line end or `;`, children stand in braces."
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
        "a table or an option names a provider that no table has"
        "`promptc providers list` shows all. A table of your own declares others with `provider NAME match=RULE { source … }`."
    UNSUPPORTED_TABLE "unsupported-table" Input
        "a table of providers does not say its version and day, or has a version that this release does not read"
        "A table begins with `providers 1 currency=USD as-of=\"YYYY-MM-DD\"`."
    UNKNOWN_MODEL "unknown-model" Input
        "no table of providers has the model: an error where the answer needs it, else a warning"
        "`promptc providers list` shows all. `PROVIDER/MODEL` names the provider of a model that is not known, and --providers adds a table."
    BAD_TOOLS "bad-tools" Input
        "the tools channel holds something that is no tool definition, or none of this provider"
        "Definitions are JSON objects with `name`, `description` and a schema of the arguments, in the form of any provider. They are sorted by name, tier by tier."
    BAD_MESSAGES "bad-messages" Input
        "the history cannot be part of such a request"
        "It is a JSON list of messages in the form of the request's own provider, the oldest first."
    NOTHING_IMPORTED "nothing-imported" Input
        "nothing of what was named is a request that promptc can read"
        "The formats are in docs/capture.md; `--as FORMAT` says which one it is. What was passed over is counted by its reason. A body that was cut is never read: what is compared must be whole."
    PASSED_OVER "passed-over" Nobody
        "some of what was named could not be read as requests, and the rest was"
        "Each reason is told once, with how often it came and where it came first. Nothing is concluded from what was passed over; a request that continues one of these is incomplete."
    RECORDING_LACKS "recording-lacks" Nobody
        "some of what was imported lacks what was sent or billed, as its format does not have it"
        "A request that lacks a part of what was sent is incomplete: it is listed and never compared. Usage that is not there is not known, which is not zero. docs/capture.md says what each format has."
    BAD_UPSTREAM "bad-upstream" Input
        "the recorder cannot send requests on to what an option or a variable names"
        "An upstream is a name and a URL with a host and a path: `--upstream local=http://127.0.0.1:4000`. A base-URL variable that is set already, such as OPENAI_BASE_URL, goes on to lead there by way of the recorder."
    PORT_TAKEN "port-taken" World
        "the recorder cannot listen at the port that was asked for"
        "Another program listens there, or the port needs other rights. Without --port the system gives one that is free."
    COMMAND_NOT_STARTED "command-not-started" Input
        "the command that is to be recorded could not be started"
        "It is run as it is written, without a shell: `promptc capture -o LOG -- sh -c 'A | B'` has one. No request was recorded."
    NO_RECORDER "no-recorder" World
        "the system does not give what the recorder needs: a thread, a signal, the certificates of its authorities"
        "Certificates are those of the system, or of the file that SSL_CERT_FILE names."
    BAD_LOG "bad-log" Input
        "the file is no log of requests"
        "`promptc capture import FILE -o LOG` makes one of what others recorded. A line in the middle that is none of a log means that another program changed it. A last line that was cut is passed over."
    LOG_TOO_NEW "log-too-new" Input
        "the log was written by a newer release"
        "Use the release that wrote it, or import what it was made of again."
    NO_REQUEST "no-request" Input
        "the log has no such request or conversation"
        "`promptc capture show LOG` lists both. Requests are numbered from 1 in the order of the log."
    BAD_USAGE_REPORT "bad-usage-report" Input
        "the file is no report of `promptc usage`, or one that is grouped otherwise"
        "`--add` takes what `promptc usage --format json` wrote, each with the same --by."
    TOO_MANY_MARKS "too-many-marks" Input
        "more places are to be marked than the provider takes"
        "Breakpoints in the history and those of the last messages count too."
    OTHER_REQUESTS "other-requests" Nobody
        "the model's provider takes requests of another shape; a warning"
        "`promptc emit --help` lists the shapes. Somebody else may serve a model under the same name: write PROVIDER/MODEL."
    TTL_ORDER "ttl-order" Input
        "a breakpoint with a longer time to live stands behind one with a shorter"
        "Providers take the longer ones first, as a prefix can be kept no longer than what stands in front of it."
    TTL_NOT_TAKEN "ttl-not-taken" Input
        "the request cannot ask for that time to live"
        "`promptc providers show MODEL` lists those of a model. Some hold for one kind of request only."
    NO_PREFILL "no-prefill" Input
        "the request cannot say that the answer begins so"
        "Only some providers let a request end with the beginning of the answer, and none with white space behind it."
    LIVE_TEXT_STORED "live-text-stored" Input
        "text that changes at every call would be stored with the provider"
        "A stored resource is the same for all calls that name it. Tiers that change at every call belong to deliver=user."
    UNEXPECTED_ANNOTATION "unexpected-annotation" Input
        "a type annotation stands where none has a meaning"
        "The only annotation is (fact)NAME, which puts a fact or let where a source or budget takes a literal."
    DUPLICATE_PROPERTY "duplicate-property" Input
        "a property is written twice on one node"
        "KDL lets the last one win, silently; promptc asks which one is meant."
    DUPLICATE_NODE "duplicate-node" Input
        "a setting that may stand once stands twice"
        "Remove one of them."
    DUPLICATE_NAME "duplicate-name" Input
        "two things of one kind have the same name"
        "Tiers, layers, roots, facts and lets are each unique in a manifest; facts and lets share their names."
    LOCKED "locked" Input
        "an overlay would change what its base locks"
        "`locked=#true` keeps a layer, tier, fact, root or budget as the base wrote it: no overlay refines, moves or removes it, and no text, template, let, rule set or budget of an overlay gets into a locked layer."
    RESERVED_NAME "reserved-name" Input
        "the name is one that templates already use for something else"
        "Document attributes (name, path, text, …) and what a layer's template sees (content, documents, …) keep their meaning everywhere. What is listed for skills and reminders only is taken where there are some."
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
        "In the names of files and folders that a source reads, {NAME} stands for the value of a fact or let. A brace that belongs to the name is written twice: {{ and }}."
    DURATION_SYNTAX "duration-syntax" Input
        "a length of time is not written as one"
        "It is written as whole numbers with `d`, `h`, `m` or `s`, the largest unit first and each at most once: 90s, 5m, 1h30m, 7d."
    SEVERAL_CONTENTS "several-contents" Input
        "a layer or part holds more than one content node"
        "Write `all { … }` to join several, or `first { … }` to take the first that yields text."
    EMPTY_LAYER "empty-layer" Input
        "a layer has neither content nor template, or a group or part holds nothing"
        "It could never yield text."

    // Names and programs, before anything is read
    UNKNOWN_ROOT "unknown-root" Input
        "there is no root of that name"
        "Roots are declared at the top level: root NAME default=\"…\". `manifest` and `text` are built in."
    NO_WORKSPACE_ROOT "no-workspace-root" Input
        "a source without `root=` reads the root `workspace`, and there is none"
        "Declare `root workspace default=\".\"` or write `root=` on the source or a group around it."
    ROOT_CYCLE "root-cycle" Input
        "roots are derived from each other in a circle"
        "`above=` and `in=` must lead to a root that has a folder of its own."
    TOO_MANY_ROOTS "too-many-roots" Input
        "a root is derived over too many others"
        "A root may be derived over at most 16 others: by `in=` or `above=` from one that is derived itself, and so on."
    UNKNOWN_FACT "unknown-fact" Input
        "there is no fact of that name"
        "Facts are declared at the top level: fact NAME TYPE. A value that no fact takes is refused, so that a typo is noticed."
    UNKNOWN_NAME "unknown-name" Input
        "an expression or template uses a name that nothing there has"
        "Facts and lets are known everywhere (a let only behind its own line); content, documents and parts in a layer's template; name, path and the other document attributes in where, hide, wrap and marker."
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
        "exists() or loaded() is used where it has no meaning"
        "Both look at sources, so a `let` or a root cannot use them; loaded() must name a layer above."
    LITERAL_REQUIRED "literal-required" Input
        "a name that must be known before the build is computed"
        "exists(), loaded(), include, import and extends take plain quoted names, so that what a prompt depends on can be told without building it."
    UNKNOWN_LAYER "unknown-layer" Input
        "there is no layer of that name"
        "`promptc explain` lists the layers, absent ones too."
    UNKNOWN_TIER "unknown-tier" Input
        "there is no tier of that name"
        "`diff --fail-on-break` takes the tiers of both prompts; an overlay those of its base, and those that stand above in the same file."
    OPERAND_NOT_FOUND "operand-not-found" Input
        "there is no file of that name to compare or to ask"
        "`promptc diff --help` shows what can be compared, `promptc blame --help` what can be asked."
    ARTIFACT_SYNTAX "artifact-syntax" Input
        "a file is an artifact by its beginning and cannot be read as one"
        "It was cut short or edited. `promptc build --format json -o FILE` writes it whole or not at all."
    ARTIFACT_TOO_NEW "artifact-too-new" Input
        "an artifact was made by a later release, in a shape that this one does not know"
        "Use that release, or build the prompt again with this one."
    ARTIFACT_TOO_OLD "artifact-too-old" Input
        "an artifact was made by an earlier release, in a shape that this one does not read"
        "Make it again: `promptc build --format json -o FILE` writes one of this release."
    LOADED_FORWARD "loaded-forward" Input
        "loaded() names a layer that does not stand above"
        "Layers are loaded in order; a condition can only look back."
    TEMPLATE_SYNTAX "template-syntax" Input
        "a template is not well formed"
        "Templates are Jinja: {{ expression }}, {% statement %}, {# comment #}."
    EXPRESSION_SYNTAX "expression-syntax" Input
        "an expression is not well formed"
        "when, where and let hold one expression without braces, such as \"'memory' in tools\"."
    TEMPLATE_NOT_FOUND "template-not-found" Input
        "a template file does not exist"
        "Templates are looked up beside the manifest, then in the folder `templates` beside it, then among the built-in ones."
    INVALID_GLOB "invalid-glob" Input
        "a glob pattern is not well formed"
        "`*` and `?` do not cross a `/`, `**` stands alone between two, [ab] and {a,b} choose inside one path component."
    PATH_LEAVES_ROOT "path-leaves-root" Input
        "a source names a place outside its root"
        "`..`, absolute names, empty names and empty components are refused: what a layer can read is decided by its root."
    FACT_NOT_USABLE "fact-not-usable" Input
        "a fact of that kind cannot stand there"
        "A text content takes a string, number or date; a size takes an int; a file name takes a string or a list of strings. A session is built anew on a fact that is neither private nor different at every turn."
    NO_BUDGET "no-budget" Input
        "a setting belongs to a budget that is not there"
        "`reserve=` is a part of the prompt's budget; `min=` is what a budget of the tier or the prompt leaves of a layer, and counts in its unit."
    MIXED_UNITS "mixed-units" Input
        "the budget of a tier counts in another unit than that of the prompt"
        "All that bounds whole tiers counts in one unit, so that it can be added up: that of the prompt's budget. Budgets of nodes and layers are free."
    UNKNOWN_SCAN "unknown-scan" Input
        "there is no rule set of that name"
        "Rule sets are declared at the top level: scan NAME { rule ID PATTERN }."
    UNKNOWN_SCOPE "unknown-scope" Input
        "a rule set has no scope of that name"
        "The `scopes` of a set stand in order, and each takes in those before it. A set that writes none has one, `all`."
    SCAN_CYCLE "scan-cycle" Input
        "rule sets extend each other in a circle"
        "`extends=` must end at a set that extends none."
    PATTERN_SYNTAX "pattern-syntax" Input
        "a pattern of a scan is not well formed, too large, or found in every text"
        "Patterns are regular expressions as the Rust crate `regex` reads them: Unicode, without look-around and back references, so that they are linear in the text. (?i) in front leaves case out of account."
    UNKNOWN_SCENARIO "unknown-scenario" Input
        "there is no scenario of that name"
        "Scenarios are declared at the top level: scenario NAME { set FACT VALUE }. Those of a base are not those of what extends it."
    UNKNOWN_EXPECT "unknown-expect" Input
        "there is no prefix family of that name"
        "`remove expect=NAME` takes away one that stands above in the same manifest or in what it includes. Those of a base are not taken over."

    // Facts and roots of one build
    FACTS_NOT_JSON "facts-not-json" Input
        "a facts file is not a JSON object"
        "The file is one object whose keys are fact names. Its values are never shown here, since they may be private."
    INVALID_SET "invalid-set" Input
        "a --set or --root is not NAME=VALUE"
        "Lists and maps are given as JSON: --set 'tools=[\"read\",\"write\"]'."
    MISSING_FACT "missing-fact" Input
        "a fact has no value"
        "Give it with --set or --facts, or declare a default, or optional=#true if the prompt can do without."
    NOT_HERMETIC "not-hermetic" Input
        "--hermetic is given, and a fact or root would be read from the environment, the clock or the home folder"
        "Give its value with --set, --facts, --root or --now, or build a scenario, which sees nothing but what it writes. SOURCE_DATE_EPOCH is part of the environment."
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
        "Only a root with many=#true, and `text`, takes several; which of them was meant is not guessed."
    ROOT_NOT_FOLDER "root-not-folder" Input
        "a root is something else than a folder"
        "A folder that does not exist is allowed (its sources are missing); a file in its place is not."

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
        "a source finds more than it may: 2,000 files of a glob, 100,000 skills, 10,000 entries of a memory"
        "Narrow the pattern or the root, or divide the file."
    TOO_MANY_IMPORTS "too-many-imports" Input
        "a document imports more files than `limit` allows"
        "All files count that a document brings in, also those that these import. `imports at limit=N` sets the bound; files that import each other several times multiply."
    IMPORT_NOT_MADE "import-not-made" Input
        "an import leads to no file of the root, and missing=error says that it must"
        "The path counts from the folder of the file that writes it and stays inside the root of the source. missing=keep leaves such an `@path` as text, missing=drop takes it out; in code it is no import."
    SCAN_REFUSED "scan-refused" Input
        "a scan found something in a document, and on-hit=error says that it must not"
        "The message names the rules and the places, and never the text. on-hit=replace puts a placeholder in place of such a document, on-hit=drop leaves it out."
    UNREADABLE_FILE "unreadable-file" World
        "a file or folder exists and cannot be read"
        "A prompt is not built without a document that is there: check permissions and the disk."
    LINK_LEAVES_ROOT "link-leaves-root" Input
        "a symbolic link leads out of the root"
        "A root is a wall. links=follow on the root permits links, for dotfile managers."
    LINK_LOOP "link-loop" Input
        "symbolic links lead in a circle"
        "Remove the link."
    BAD_FILE_NAME "bad-file-name" Input
        "a file's name is not UTF-8 or holds control characters"
        "Names reach the prompt through templates; a line break in one could forge text. Rename the file."
    SEARCH_OUTSIDE_ROOT "search-outside-root" Input
        "a search starts outside of the root that it climbs to"
        "`from=` must name a root whose folder lies inside the source's root."
    FRONTMATTER_SYNTAX "frontmatter-syntax" Input
        "a document's front matter is not YAML, or exceeds what a reader allows"
        "`lenient`, as in `frontmatter parse lenient`, reads each `key: value` line of bad YAML."
    PRICES_SYNTAX "prices-syntax" Input
        "a file of prices is not litellm's, or no row of it can be taken over"
        "It is the JSON object of `model_prices_and_context_window.json`: a key for each model, its facts as an object."
    JSON_SYNTAX "json-syntax" Input
        "a JSON source is not JSON, or has a key twice"
        "Its content is not shown here; the position is."

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
        "The bounds are fixed, so that a template that ends on one machine ends on all."
    REQUIRED_LAYER_ABSENT "required-layer-absent" Input
        "a required layer yields nothing"
        "`promptc explain LAYER` shows what was looked for."
    OVER_BUDGET "over-budget" Input
        "a tier or the prompt is larger than its budget and no layer can give way, or nothing of a reminder fits its own"
        "Layers give way inside of their own tier, the lowest priority first: to `min=`, then as a whole unless they are required. What stands before and behind the tier stays."

    // Records
    CLOCK_IN_RECORD "clock-in-record" Input
        "a manifest without scenarios takes a fact from the clock, so that its record would differ from day to day"
        "Declare a scenario that sets the fact, such as scenario default { set today \"2026-03-30\" }, or give --now."
    LOCK_CONFLICT "lock-conflict" Input
        "a lock holds the marks of a merge conflict"
        "Resolve the manifest and its files first; `promptc test --accept` then writes the lock and the snapshots anew."
    LOCK_NEWER "lock-newer" Input
        "a lock has a format that a newer release writes"
        "Install that release. A lock that this one cannot read is never overwritten."
    LOCK_OLDER "lock-older" Input
        "a lock has a format that an earlier release wrote"
        "`promptc test --accept` writes it again from what the manifest builds now. `promptc diff git:REV` compares the snapshots of such a revision as texts; with --rebuild it builds the prompts of that revision."
    LOCK_MALFORMED "lock-malformed" Input
        "a line of a lock is cut or is no line of a lock"
        "A lock is written by `promptc test --accept` and by nothing else; that writes it anew."
    LOCK_OF_ANOTHER "lock-of-another-manifest" Input
        "the header of a lock names another manifest than the one beside it"
        "This is what a copied or renamed lock looks like. `promptc test --accept` writes it anew."
    SNAPSHOT_EDITED "snapshot-edited" Input
        "a snapshot is not the text that its lock describes"
        "A snapshot holds exact bytes: an editor or git may have changed them. `promptc test --accept` writes it anew; in .gitattributes, `snapshots/** -text` keeps git from changing line ends."
    SNAPSHOT_MISSING "snapshot-missing" Input
        "a lock describes a text whose snapshot is not there"
        "Restore the file, or let `promptc test --accept` write it anew."
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
        "the current directory lies in no git repository"
        "A revision is looked up in the repository around the current directory, or in GIT_DIR."
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
        "the manifest has no `hint`, which says what a session is told of a folder"
        "`hint` stands at the top level, such as hint { file \"AGENTS.md\" }; `hint #false` in an overlay takes its base's away."

    NO_SKILLS "no-skills" Input
        "no layer of the manifest reads skills"
        "`skills \"DIR\"` in a layer reads every SKILL.md below that folder."
    SEVERAL_SKILLS "several-skills" Input
        "several layers read skills, and it is not said which are meant"
        "Each layer has an index of its own, with its own rules of what is listed; --layer names one."
    UNKNOWN_SKILL "unknown-skill" Input
        "there is no skill of that name"
        "A skill is called by the `name` of its front matter, else by its folder. `promptc skills list` shows all."
    SKILL_NOT_LISTED "skill-not-listed" Input
        "a skill is there and its manifest does not list it, so that it is not shown either"
        "`deny`, `allow`, `hide`, `where` and `shadow` in the source say what is listed, and a scan may leave one out. `promptc skills list` gives the reason."

    // Stores of sessions
    STORE_BUSY "store-busy" World
        "others held the store of sessions longer than was waited for it"
        "Each step of a store is short, so this is a process that hangs or was stopped in the middle of one. --wait SECONDS waits longer."
    STORE_READ_ONLY "store-read-only" World
        "the store of sessions may be read and not written"
        "Freezing a session, noting that it was asked for and noting a hint all write. The folder is written too: files of the transaction stand beside the store."
    STORE_FULL "store-full" World
        "there is no room for what the store of sessions is to keep"
        "A step that does not fit is undone as a whole, so the store is what it was before."
    STORE_DAMAGED "store-damaged" World
        "the store of sessions was changed by something else than promptc"
        "What is read is compared with the hash that was written with it. A session that may be damaged is neither used nor built anew silently, since its conversation runs on the text that was lost. `promptc session verify` names the sessions that are damaged, and `promptc session rm ID` takes one away. A store comes to its place whole, so an empty file, or a log of changes (`-wal`) without its file, is damage, too."
    SESSION_OF_ANOTHER_RELEASE "session-of-another-release" Input
        "a build of a session was kept by another release, in a shape that this one does not read"
        "Its text is still restored byte for byte. What needs its map or its plan is an error: `promptc build --session ID --refresh` builds the session again, and `promptc session gc --keep 1` removes earlier builds."
    STORE_TOO_NEW "store-too-new" World
        "a later release wrote the store of sessions"
        "A store is brought up to date by the first release that needs it, and earlier ones then leave it alone."
    NOT_A_STORE "not-a-store" World
        "something else stands where the store of sessions should be"
        "--store, the environment variable PROMPTC_STORE and `.promptc/store.db` beside the manifest name it, the first of them that is there."
    UNKNOWN_STORE_KIND "unknown-store-kind" Input
        "what names a store of sessions is a URL"
        "Sessions are kept in a file, and --store and PROMPTC_STORE take its path. `./` in front of a name makes a path of it, whatever it looks like."
    STORE_UNUSABLE "store-unusable" World
        "the store of sessions cannot be opened, read or written"
        "The message says what the system said."
    UNKNOWN_SESSION "unknown-session" Input
        "the store keeps no session of that name"
        "`promptc session list` shows those that it keeps. --store, the environment variable PROMPTC_STORE and `.promptc/store.db` beside the manifest name the store, the first of them that is there."
    UNKNOWN_BUILD "unknown-build" Input
        "a session has no build of that number, or has it no more"
        "Builds are numbered from 1 in each session. `promptc session show ID` lists those that are still there; `promptc session gc --keep` takes old ones away."
    NO_STORE "no-store" Input
        "there is no store of sessions at the place named"
        "--store, the environment variable PROMPTC_STORE and `.promptc/store.db` beside the manifest name it, the first of them that is there. `promptc build --session ID` makes it."
    SESSION_EXISTS "session-exists" Input
        "a session is to be imported under the ID of another one"
        "What a session keeps is never written over. --as NEWID takes another ID."
    EXPORT_SYNTAX "export-syntax" Input
        "a file is no session that was exported"
        "`promptc session export ID` writes one; `promptc schema session export` prints its schema."
    EXPORT_TOO_NEW "export-too-new" Input
        "a later release exported the session, with a schema that this one does not know"
        "Nothing was written. A session is imported whole or not at all."
    EXPORT_TOO_OLD "export-too-old" Input
        "an exported session was written by an earlier release, in a shape that this one does not read"
        "Import it with that release. Here `promptc build --session ID` builds the session again."
    EXPORT_CHANGED "export-changed" Input
        "an exported session is not as it was written"
        "Each text stands under its hash, all of it under a checksum, and it is restored byte for byte once it is imported. Nothing was written."

    SESSION_MISMATCH "session-mismatch" Input
        "a call is made for someone else than the session"
        "The facts of `session { identity … }` say who a session is. A call gives each of them the value that it had when the session was built, and none where it had none; nothing is printed otherwise, whether the session would be restored or built again. Values of private facts are compared by a keyed hash, and no value is shown."
    IMPORTED_PLAN "imported-plan" Input
        "the plan of a session that was imported does not run"
        "Whoever sends an export writes its manifest, its roots and its templates. So texts are restored from it and nothing else: live tiers, a build and what checks facts need a manifest that the call names with -m. Live tiers are made behind texts that are there already, so they need the very manifest that the session was built from, file by file. A manifest in this folder or one above does not count without -m: with it you say that you trust its author. A session that was built again so is your own."

    SESSION_REFRESHED "session-refreshed" World
        "a session was built anew, or told of its drift by another call, while this one told it"
        "What was printed is about what the session was before, and nothing is noted of it. A note of a reminder that came with it is not for the conversation: ask again, and what is printed then is about what the session is now."

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
        "`init --from` names something that is no file, or a folder without dumps"
        "It takes files with the text of a prompt, or `-` for standard input. The folder to write to stands in front of it: promptc init DIR --from FILE."
    EMPTY_DUMP "empty-dump" Input
        "a dump for `init --from` has no text"
        "There is nothing to divide. A dump is the text of a prompt as it was sent."
    OUTPUT_NOT_WRITTEN "output-not-written" World
        "the output could not be written"
        "What stood at that place before is untouched."
    UNKNOWN_MEMORY "unknown-memory" Input
        "no memory of that name, or several and none is named"
        "A layer with a `memory` source is a memory that `promptc memory` writes, by the layer's name. `promptc memory list` shows them."
    MEMORY_NOT_WRITABLE "memory-not-writable" Input
        "a memory cannot be written as the manifest or the disk has it"
        "A layer's memory is written if it is one regular file at a place that is known: one `memory` source, without `search=`, in a root of one folder that is there. What is read from several files needs a layer for each of them."
    MEMORY_LOCKED "memory-locked" World
        "another process held the lock of a memory for too long"
        "Who writes a memory holds a lock on `FILE.lock` beside it, for the time of one write. --wait says how long to wait for it. The lock ends with the process that holds it, so a file that is left there stops nobody."
    LINKED_FILE "linked-file" Input
        "a file that promptc keeps or writes is a link, or below one"
        "Nothing was changed. A repository can hold links to any place of the machine, so no file is written, removed or read as a record through one below the folder of the manifest or the current directory."
    OUTPUT_IS_INPUT "output-is-input" Input
        "-o names a file that the prompt is made from"
        "Nothing was written. A manifest, template, facts file or document would be lost, and the next build would read its own output."
    NO_SUCH_PLACE "no-such-place" Input
        "the prompt has no such line, column, byte or text"
        "Lines and columns count from 1, columns in characters; bytes count from 0. A prompt has a text for each channel that it uses."
    BAD_LINES "bad-lines" Input
        "lines of a batch could not be built"
        "Each is told with its number. Without --fail-fast the others are built, and the output has the errors in place of an artifact, so that line n of the output belongs to line n of the input."
    FACTS_NOT_FOUND "facts-not-found" Input
        "there is no facts file at the place named"
        "--facts takes the path of a JSON file, or `-` for standard input."
    OTHER_MANIFEST "other-manifest" Input
        "the session was frozen from a manifest of another name, or from one of which that is not known"
        "Sessions of two agents in one store need different IDs, or a store each: --store FILE. The same manifest at another place is no error where both have the same `name`. Where one has none, what is kept is given with a warning, and it is an error to build it anew."
    USAGE "usage" Input
        "the arguments are not those that the command takes"
        "`promptc COMMAND --help` shows them."
}

codes! {
    /// The codes of what is no error: warnings and notes.
    NOTICES;

    NOT_IMPORTED "not-imported" Nobody
        "an import leads to no file and stays as text"
        "The path counts from the folder of the file that writes it and stays inside the root of the source. How many there are is said in one line, each of them with --verbose; missing=error makes it an error."
    CUT "cut" Nobody
        "a budget cut a text"
        "The message says how much was left out; `promptc explain LAYER` shows the sums. The artifact has it under `notices`."
    DROPPED "dropped" Nobody
        "a budget left nothing of a text, or an import was left out"
        "The text did not fit even when it was cut, or less than `floor` was left of a total, or the layer gave way to a budget of its tier or of the prompt; or an `@path` that leads to no file was taken out, as missing=drop says. `promptc explain --budget` shows the sums, `promptc explain LAYER` what was looked for."
    REPLACED "replaced" Nobody
        "a scan found something, and a placeholder stands for the text, or it was left out"
        "The message names the rules and the places; `promptc explain LAYER` shows them too. on-hit= on the scan says what becomes of such a text, except= what is not scanned."
    SCAN_FINDING "scan-finding" Nobody
        "a scan found something in a text that stays"
        "on-hit=warn says that it stays. Other values of on-hit= replace such a text, leave it out or fail the build."
    NOT_FROZEN "not-frozen" Nobody
        "a fact or root is given that the session was frozen without"
        "What a session keeps was made by an earlier manifest. What that one did not know is passed over until the session is refreshed."
    UNLISTED_TEXT "unlisted-text" Nobody
        "a text among the snapshots is in no lock"
        "`test --accept` removes a snapshot if the lock lists it, and nothing else: what promptc did not write stays. Move it away."
    FROZEN_FACT "frozen-fact" Nobody
        "a fact is given with another value than the session was frozen with, and this one has no effect"
        "What is frozen stays as it is, made for the first value. `session { identity NAME }` makes a call with another value an error, `session { refresh fact=NAME }` builds the session again on it; else each value needs a session ID of its own."
    LITTLE_FROZEN "little-frozen" Nobody
        "less than half of a new session's tools and system text is frozen"
        "A session keeps the tiers before the first one with `changes=turn`, in each channel. Put that tier last, or give it `deliver=user`. It is said once, when the session is built first."
    PRIVATE_NOT_KEPT "private-not-kept" Nobody
        "a private fact had a value when the session was frozen, and none is given now"
        "A session keeps no private values, so each call that builds has to give them. What depends on the fact differs otherwise."
    UNKNOWN_EVENT "unknown-event" Nobody
        "an event is reported that is no reason to build the session anew"
        "`session { refresh event=NAME }` in the manifest declares events; without a `session` block there is one, `compaction`. The one that the session was frozen with counts."
    MARKS_BEHIND_LIVE_TEXT "marks-behind-live-text" Nobody
        "breakpoints on messages were asked for, and text that changes at every call stands in front of them"
        "What stands behind such a text is never the same prefix again. With deliver=user it goes behind the messages."
    STALE_PRICES "stale-prices" Nobody
        "a price that is asked for was read more than 60 days ago"
        "Prices change. A newer release has newer ones, and a table of your own counts first: --providers FILE. `promptc providers import` makes one from litellm's file of prices."
    ROW_LEFT_OUT "row-left-out" Nobody
        "a row of a file of prices was not taken over, as something in it cannot be or cannot be told apart"
        "A price is above 0 and at most 10,000 dollars for a million tokens, a token that is read costs no more than one of the input, one that is written at most 10 times that, and a shortest prefix has at most a million tokens. Without the row, what the program knows of the model counts, if it knows it."
    EMPTY_PROMPT "empty-prompt" Nobody
        "the prompt has no text"
        "`promptc explain` says of every layer why it is absent. required=#true on a layer makes its absence an error."
    OTHER_CHANNELS "other-channels" Nobody
        "layers of the prompt are not in the text that was written"
        "A tier with `deliver=user` or `deliver=tools` is sent in another place of the request than the system text. `--channel user`, `--channel tools` or `--channel all` writes it; the artifact (`--format json`) has all channels."
    UNMARKED_TIER "unmarked-tier" Nobody
        "a tier has no breakpoint, because the model keeps no prefix that short"
        "A provider keeps a prefix from a least number of tokens on; `promptc providers show MODEL` says which. The tier is kept with what comes after it. `promptc explain --model MODEL` shows every breakpoint."
    NOTHING_RECORDED "nothing-recorded" Nobody
        "no call of a model came to the recorder"
        "The command may use another base URL than the variables say: `promptc capture --print-env` lists these. Name the recorder where the agent is set up (docs/record.md)."
    NOT_RECORDED "not-recorded" Nobody
        "some requests went through and are not in the log"
        "A request is never kept waiting or refused because of the log. Where the log could not be written, it ends with the last exchange that was; all of its lines are whole."
    REQUESTS_REFUSED "requests-refused" Nobody
        "the recorder refused requests, with the reason"
        "It takes requests for 127.0.0.1 and its own port alone, and none of a page in a browser. A request that is signed for its host cannot go by way of another; a WebSocket is not recorded."
    UPSTREAM_FAILED "upstream-failed" Nobody
        "a provider did not take requests that the recorder sent on"
        "The client got the status 502 with the reason. `--upstream NAME=URL` says where a provider is; certificates are those of the system, or of the file that SSL_CERT_FILE names; a proxy (HTTPS_PROXY) is not used."
    EXEC_FAILED "exec-failed" Nobody
        "the command of `watch --exec` could not be run, or ends with another code than 0"
        "What it printed stands above. `watch` goes on; the command runs again with the next prompt that differs."
    BUILTIN_ROOTS "builtin-roots" Nobody
        "the folders of a built-in manifest count from the current directory"
        "A built-in has no folder of its own; --root NAME=DIR names others. Said with --verbose."
    OUTSIDE_ROOT "outside-root" Nobody
        "a path that `hint` is given does not lie in the root of the hint"
        "Nothing is told of it. A relative path counts from the folder of that root. Said with --verbose."
    MISSING_FOLDER "missing-folder" Nobody
        "the folder of a path that `hint` is given does not exist"
        "The folders above it are told of. A path counts from the folder of the hint's root, wherever the command runs; `--root NAME=PATH` names another."
    NOTHING_TOLD "nothing-told" Nobody
        "a folder of a path that `hint` is given has nothing new to tell"
        "Each session is told of each folder once; `promptc session show ID` lists those that it was told of, `promptc session rm ID` forgets them. Said with --verbose."
    STATS "stats" Nobody
        "a layer's sizes, for build --stats"
        "With --message-format json, --stats writes one note for each layer, absent ones too. Without it, --stats draws a table."
}

/// The code called `name`, of an error or a notice.
#[must_use]
pub fn by_name(name: &str) -> Option<Code> {
    ALL.iter().chain(NOTICES).copied().find(|c| c.name == name)
}
