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
        "no manifest was found"
        "Without -m, the nearest `promptc.kdl` here or above is read. `promptc init` writes one."
    UNREADABLE_PROGRAM "unreadable-program" World
        "a manifest, template or facts file cannot be read"
        "Check its permissions."
    PROGRAM_NOT_UTF8 "program-not-utf8" Input
        "a manifest, template or facts file is not UTF-8"
        "Save it as UTF-8."
    PROGRAM_TOO_LARGE "program-too-large" Input
        "a manifest or template exceeds 1 MiB, or a layer 100,000 nodes with each `base` replaced"
        "Move long text into a document."
    UNKNOWN_BUILTIN "unknown-builtin" Input
        "no built-in manifest has that name and version"
        "`promptc init --list-presets` lists them. Write builtin:NAME@N."
    MANIFEST_CYCLE "manifest-cycle" Input
        "a manifest extends or includes itself, directly or through others"
        "Remove one `extends` or `include`."
    TOO_MANY_BASES "too-many-bases" Input
        "a chain of `extends` or `include` has more than 16 manifests"
        "Merge some of them."
    UNKNOWN_SLOT "unknown-slot" Input
        "`unset` names a slot that the base does not write"
        "`promptc explain --merged` lists slots, such as content, template and budget."
    NO_BASE "no-base" Input
        "`base` appears where the base has no content"
        "`base` stands for the base's content, with its transforms and budgets."
    NESTING_TOO_DEEP "nesting-too-deep" Input
        "a manifest nests deeper than 200 levels, counted after each `base` is replaced"
        "Flatten it."
    KDL_SYNTAX "kdl-syntax" Input
        "the manifest is not KDL 2"
        "A node ends at a line end or `;`; children are in braces."
    KDL_VERSION_1 "kdl-version-1" Input
        "the manifest uses KDL 1 syntax"
        "Write #true, #false and #null, and raw strings as #\"…\"#."
    MISSING_LANGUAGE "missing-language" Input
        "the first node is not `promptc 1`"
        "`promptc 1` fixes the bytes that a manifest builds to."
    UNSUPPORTED_LANGUAGE "unsupported-language" Input
        "this release does not read that language version"
        "It reads `promptc 1`."
    UNKNOWN_NODE "unknown-node" Input
        "a node of that name is not allowed there"
        "Check the spelling and place."
    UNKNOWN_PROPERTY "unknown-property" Input
        "the node has no property of that name"
        "Check the spelling."
    UNKNOWN_VALUE "unknown-value" Input
        "the setting does not take that value"
        "The message lists those allowed."
    UNKNOWN_PROVIDER "unknown-provider" Input
        "no table has that provider"
        "`promptc providers list` lists them; `provider NAME match=RULE { source … }` in a table declares one."
    UNSUPPORTED_TABLE "unsupported-table" Input
        "a table of providers lacks its version or day, or has an unknown version"
        "Begin it with `providers 1 currency=USD as-of=\"YYYY-MM-DD\"`."
    UNKNOWN_MODEL "unknown-model" Input
        "no table has that model: an error where the answer needs it, else a warning"
        "Write `PROVIDER/MODEL`, or add a table with --providers. `promptc providers list` lists models."
    BAD_TOOLS "bad-tools" Input
        "a text in the tools channel is not a tool definition, or is a tool of another provider"
        "A definition is a JSON object with `name`, `description` and an argument schema, in any provider's form."
    BAD_MESSAGES "bad-messages" Input
        "the history cannot be part of such a request"
        "Give a JSON list of messages in the provider's form, oldest first."
    NOTHING_IMPORTED "nothing-imported" Input
        "none of the inputs is a request that promptc can read"
        "docs/capture.md lists the formats; `--as FORMAT` selects one."
    PASSED_OVER "passed-over" Success
        "some inputs could not be read as requests"
        "A request that continues a skipped one is incomplete."
    RECORDING_LACKS "recording-lacks" Success
        "the format of some imported requests lacks what was sent or billed"
        "What it lacks is never compared. docs/capture.md describes each format."
    COMPARED_WITH_FEWER "compared-with-fewer" Success
        "conversations are compared with fewer others than the log has"
        "Requests with another `prompt_cache_key` share no prompt cache. Of too many requests the earliest are forgotten, also where one that goes on from them comes later."
    BAD_UPSTREAM "bad-upstream" Input
        "the recorder cannot use that upstream"
        "Write a name and a URL: `--upstream local=http://127.0.0.1:4000`. Base-URL variables are checked too."
    PORT_TAKEN "port-taken" World
        "the recorder cannot listen at that port"
        "Choose another. Without --port, the system picks a free one."
    COMMAND_NOT_STARTED "command-not-started" Input
        "the command to accept could not be started"
        "It runs without a shell; for one, write `promptc capture run -o LOG -- sh -c 'A | B'`."
    NO_RECORDER "no-recorder" World
        "the system gives the recorder no thread, signal or certificates"
        "SSL_CERT_FILE names a file of certificates."
    BAD_LOG "bad-log" Input
        "the file is not a log of requests"
        "`promptc capture import FILE -o LOG` makes one. Only the last line may be truncated."
    LOG_TOO_NEW "log-too-new" Input
        "a newer release wrote the log"
        "Use that release, or import the recording again."
    NO_REQUEST "no-request" Input
        "the log has no such request or conversation"
        "`promptc capture show LOG` lists both, from 1."
    BAD_USAGE_REPORT "bad-usage-report" Input
        "the file is not a report of `promptc usage`, or is grouped differently"
        "`--add` takes JSON reports with the same --by."
    TOO_MANY_MARKS "too-many-marks" Input
        "the request has more breakpoints than the provider takes"
        "Those in the history and on the last messages count too."
    OTHER_REQUESTS "other-requests" Success
        "the model's provider takes requests of another shape"
        "`promptc emit --help` lists the shapes. PROVIDER/MODEL names another provider of this model."
    TTL_ORDER "ttl-order" Input
        "a breakpoint with a longer time to live comes after one with a shorter"
        "Providers take longer ones first."
    TTL_NOT_TAKEN "ttl-not-taken" Input
        "the request cannot ask for that time to live"
        "`promptc providers show MODEL` lists a model's."
    NO_PREFILL "no-prefill" Input
        "the provider does not take this beginning of an answer"
        "Only some providers continue a begun answer, none after trailing white space."
    LIVE_TEXT_STORED "live-text-stored" Input
        "text that changes at every call would be stored with the provider"
        "Give tiers that change at every call deliver=user."
    UNEXPECTED_ANNOTATION "unexpected-annotation" Input
        "a type annotation is not allowed there"
        "The only one is (fact)NAME: a fact or let as the value in a source or budget."
    DUPLICATE_PROPERTY "duplicate-property" Input
        "a property is written twice on one node"
        "Remove one."
    DUPLICATE_NODE "duplicate-node" Input
        "a setting that is allowed once appears twice"
        "Remove one."
    DUPLICATE_NAME "duplicate-name" Input
        "two tiers, layers, roots, facts or lets have the same name"
        "Facts and lets share their names."
    LOCKED "locked" Input
        "an overlay would change what its base locks"
        "Overlays cannot refine, move or remove what has `locked=#true`, nor add to a locked layer."
    RESERVED_NAME "reserved-name" Input
        "templates already use the name for something else"
        "Reserved are document attributes (name, path, …) and names in a layer's template (content, documents, …)."
    INVALID_NAME "invalid-name" Input
        "the name has characters that are not allowed"
        "Facts, lets and parts take letters, digits and underscores, but start with no digit. Other names also take hyphens and dots."
    MISSING_ARGUMENT "missing-argument" Input
        "a node lacks an argument or property that it needs"
        "The message names it."
    EXTRA_ARGUMENT "extra-argument" Input
        "a node has an argument or children that it does not take"
        "Remove it, or quote the text."
    WRONG_TYPE "wrong-type" Input
        "the value has another type than the setting takes"
        "Quote text, but not numbers or #true."
    OUT_OF_RANGE "out-of-range" Input
        "a number is outside the range that the setting takes"
        "Sizes are whole numbers from 0; `head` and `tail` are fractions from 0 to 1."
    CONFLICTING_SETTINGS "conflicting-settings" Input
        "two settings of one node exclude each other"
        "Keep one."
    FILE_NAME_SYNTAX "file-name-syntax" Input
        "a brace in a file name belongs to no `{NAME}`"
        "{NAME} is a fact or let. Write a literal brace twice: {{ and }}."
    DURATION_SYNTAX "duration-syntax" Input
        "a length of time has a wrong form"
        "Write whole numbers with `d`, `h`, `m` or `s`, the largest unit first: 90s, 1h30m, 7d."
    SEVERAL_CONTENTS "several-contents" Input
        "a layer or part holds more than one content node"
        "`all { … }` joins several, `first { … }` takes the first with text."
    EMPTY_LAYER "empty-layer" Input
        "a layer has neither content nor template, or a group or part is empty"
        "Fill or remove it."

    // Names and programs, before anything is read
    UNKNOWN_ROOT "unknown-root" Input
        "no root has that name"
        "Declare it: root NAME default=\"…\". `manifest` and `text` are built in."
    NO_WORKSPACE_ROOT "no-workspace-root" Input
        "a source without `root=` reads the root `workspace`, which is missing"
        "Declare `root workspace default=\".\"`, or write `root=`."
    ROOT_CYCLE "root-cycle" Input
        "roots are derived from each other in a cycle"
        "`above=` and `in=` must lead to a root with its own folder."
    TOO_MANY_ROOTS "too-many-roots" Input
        "a root is derived through more than 16 others"
        "Each `in=` or `above=` to a derived root counts."
    UNKNOWN_FACT "unknown-fact" Input
        "no fact has that name"
        "Declare it: fact NAME TYPE."
    UNKNOWN_EVENT "unknown-event" Input
        "no `refresh event=` declares the reported event"
        "`session { refresh event=NAME }` declares the events that an app may send. It is only a warning for `compaction`, and for an event that the manifest names since the session was built."
    UNKNOWN_NAME "unknown-name" Input
        "an expression or template uses an unknown name"
        "Facts are known everywhere, a let after its line, content and documents in a layer's template, document attributes in where, hide, wrap and marker."
    UNKNOWN_ATTRIBUTE "unknown-attribute" Input
        "documents have no attribute of that name"
        "docs/language.md lists them."
    UNKNOWN_FILTER "unknown-filter" Input
        "no filter has that name"
        "docs/templates.md lists them."
    UNKNOWN_TEST "unknown-test" Input
        "no test has that name"
        "docs/templates.md lists those that may follow `is`."
    UNKNOWN_FUNCTION "unknown-function" Input
        "no function has that name"
        "The functions are exists, loaded, range, dict and namespace."
    FUNCTION_NOT_HERE "function-not-here" Input
        "a place does not allow exists() or loaded()"
        "A `let` or root cannot use them; loaded() must name a layer above."
    LITERAL_REQUIRED "literal-required" Input
        "a name is computed, but must be known before the build"
        "exists(), loaded(), include, import and extends take quoted names only."
    UNKNOWN_LAYER "unknown-layer" Input
        "no layer has that name"
        "`promptc explain` lists all, absent ones included."
    UNKNOWN_TIER "unknown-tier" Input
        "no tier has that name"
        "`diff --fail-on break=TIER` takes tiers of both prompts; an overlay, those of its base or above in its file."
    OPERAND_NOT_FOUND "operand-not-found" Input
        "no file has that name"
        "`promptc diff --help` and `promptc blame --help` list what they take."
    ARTIFACT_SYNTAX "artifact-syntax" Input
        "a file starts like an artifact and cannot be read as one"
        "Make it again: `promptc build --format json -o FILE`."
    ARTIFACT_TOO_NEW "artifact-too-new" Input
        "this release does not read the artifact's newer format"
        "Use a later release, or build the prompt again."
    ARTIFACT_TOO_OLD "artifact-too-old" Input
        "this release no longer reads the artifact's format"
        "Make it again: `promptc build --format json -o FILE`."
    LOADED_FORWARD "loaded-forward" Input
        "a condition calls loaded() for a layer that does not come before"
        "It can only look back."
    TEMPLATE_SYNTAX "template-syntax" Input
        "a template is not well formed"
        "Templates are Jinja: {{ expression }}, {% statement %}, {# comment #}."
    EXPRESSION_SYNTAX "expression-syntax" Input
        "an expression is not well formed"
        "when, where and let hold one expression without braces, such as \"'memory' in tools\"."
    TEMPLATE_NOT_FOUND "template-not-found" Input
        "a template file does not exist"
        "promptc looks next to the manifest, in its folder `templates`, then among built-in ones."
    INVALID_GLOB "invalid-glob" Input
        "a glob pattern is not well formed"
        "`*` and `?` do not cross `/`, `**` is a whole path component, [ab] and {a,b} choose inside one."
    PATH_LEAVES_ROOT "path-leaves-root" Input
        "a source names a place outside its root"
        "`..`, absolute names, empty names and empty components are not allowed."
    FACT_NOT_USABLE "fact-not-usable" Input
        "a fact of that kind is not allowed there"
        "Text takes a string, number or date; a size an int; a file name a string or list of strings. `refresh fact=` takes no private fact, and none that differs at every turn."
    NO_BUDGET "no-budget" Input
        "a setting needs a budget that is missing"
        "`reserve=` needs a budget of the prompt; `min=` needs one of the tier or the prompt, in its unit."
    MIXED_UNITS "mixed-units" Input
        "a tier's budget counts in another unit than the prompt's"
        "Use one unit for the prompt and its tiers."
    UNKNOWN_SCAN "unknown-scan" Input
        "no rule set has that name"
        "Declare it: scan NAME { rule ID PATTERN }."
    UNKNOWN_SCOPE "unknown-scope" Input
        "the rule set has no such scope"
        "Each of a set's `scopes` includes those before it. Without `scopes` there is one, `all`."
    SCAN_CYCLE "scan-cycle" Input
        "rule sets extend each other in a cycle"
        "`extends=` must end at a set that extends none."
    PATTERN_SYNTAX "pattern-syntax" Input
        "a scan pattern is malformed, too large, or matches every text"
        "Patterns are those of the Rust crate `regex`, without look-around and back references."
    UNKNOWN_SCENARIO "unknown-scenario" Input
        "no scenario has that name"
        "Declare it: scenario NAME { set FACT VALUE }. The scenarios of a base hold for its overlays."
    UNKNOWN_EXPECT "unknown-expect" Input
        "no prefix family has that name"
        "`remove expect=NAME` removes one from above in the manifest or an included file. Overlays do not inherit families."

    // Facts and roots of one build
    FACTS_NOT_JSON "facts-not-json" Input
        "a facts file is not a JSON object"
        "Keys are fact names. Values are never shown."
    INVALID_SET "invalid-set" Input
        "a --set or --root is not NAME=VALUE"
        "Write lists and maps as JSON: --set 'tools=[\"read\",\"write\"]'."
    MISSING_FACT "missing-fact" Input
        "a fact has no value"
        "Give it with --set or --facts, or declare a default or optional=#true."
    NOT_HERMETIC "not-hermetic" Input
        "with --hermetic, a fact or root would come from the environment, clock or home folder"
        "Give it with --set, --facts, --root or --now, or build a scenario. SOURCE_DATE_EPOCH counts as environment."
    WRONG_FACT_TYPE "wrong-fact-type" Input
        "a fact's value has another type than declared"
        "The value is never shown."
    NOT_ONE_OF "not-one-of" Input
        "a fact's value is not one that its declaration allows"
        "See its `one-of`."
    UNKNOWN_TIME_ZONE "unknown-time-zone" Input
        "no time zone has that name"
        "Zones are `utc` and those of promptc's IANA database, such as Europe/Zurich."
    INVALID_TIME "invalid-time" Input
        "--now or SOURCE_DATE_EPOCH is not a point in time"
        "--now takes RFC 3339, such as 2026-03-30T09:00:00Z; SOURCE_DATE_EPOCH takes seconds since 1970."
    MISSING_ROOT "missing-root" Input
        "a root has no folder"
        "Give it with --root NAME=PATH, or declare a default."
    ROOT_GIVEN_TWICE "root-given-twice" Input
        "--root gives several folders to a root that takes one"
        "Only `text` and roots with many=#true take several."
    ROOT_NOT_FOLDER "root-not-folder" Input
        "a root is not a folder"
        "It may be missing, but not be a file."

    // Sources
    MISSING_FILE "missing-file" Input
        "a required file is missing"
        "Its source or root says missing=error. Create it, or write missing=skip."
    INVALID_UTF8 "invalid-utf8" Input
        "a document is not UTF-8"
        "With invalid=missing, such a file counts as missing."
    DOCUMENT_TOO_LARGE "document-too-large" Input
        "a document is larger than 64 MiB, alone or with its imports, or facts are larger than 4 MiB"
        "Name another file."
    TOO_MANY_DOCUMENTS "too-many-documents" Input
        "a source finds more than 2,000 files of a glob, 100,000 skills, or 10,000 entries of a memory"
        "Narrow the pattern or the root, or divide the file."
    TOO_MANY_IMPORTS "too-many-imports" Input
        "a document imports more files than `limit` allows"
        "Imports of imported files count too. `imports at limit=N` sets the limit."
    IMPORT_NOT_MADE "import-not-made" Input
        "an import leads to no file of the root, and missing=error requires one"
        "missing=keep leaves the `@path` as text, missing=drop removes it."
    SCAN_REFUSED "scan-refused" Input
        "a scan found something in a document, which on-hit=error forbids"
        "on-hit=replace inserts a placeholder, on-hit=drop leaves the text out."
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
        "Rename it. A line break in a printed name could forge text."
    SEARCH_OUTSIDE_ROOT "search-outside-root" Input
        "a search starts outside its root"
        "`from=` must name a root whose folder is inside the source's root."
    FRONTMATTER_SYNTAX "frontmatter-syntax" Input
        "a document's front matter is not YAML or too large, or a skill's description is no text"
        "`frontmatter parse lenient` reads each `key: value` line of bad YAML."
    PRICES_SYNTAX "prices-syntax" Input
        "a file of prices is not litellm's, or has no usable row"
        "promptc reads litellm's `model_prices_and_context_window.json`: an object for each model."
    JSON_SYNTAX "json-syntax" Input
        "a JSON source is not JSON, or has a key twice"
        "The message gives the position, never the content."

    // Templates and budgets at work
    TEMPLATE_FAILED "template-failed" Input
        "a template or expression failed while it ran"
        "Values are never shown."
    UNDEFINED_VALUE "undefined-value" Input
        "a template uses a missing value"
        "Test it first: {% if x %}, `x is defined`, or x | default(\"…\")."
    UNPRINTABLE_VALUE "unprintable-value" Input
        "a template prints a boolean, none, a list or a map"
        "Say how: {{ 'yes' if flag else 'no' }}, {{ list | join(', ') }}, {{ map | json }}."
    TEMPLATE_LIMIT "template-limit" Input
        "a template runs too long, calls itself too deeply or prints too much"
        "Limits are the same on every machine."
    REQUIRED_LAYER_ABSENT "required-layer-absent" Input
        "a required layer is absent"
        "`promptc explain LAYER` shows what was looked for."
    OVER_BUDGET "over-budget" Input
        "a tier or the prompt exceeds its budget and no layer can shrink further, or no part of a reminder fits its budget"
        "Layers shrink in their tier, lowest priority first: to `min=`, then to nothing unless required."

    // Snapshots
    CLOCK_IN_SNAPSHOT "clock-in-snapshot" Input
        "without scenarios, the snapshot of a fact from the clock would change daily"
        "Give --now, or declare a scenario: scenario default { set today \"2026-03-30\" }."
    LOCK_CONFLICT "lock-conflict" Input
        "a lock has the markers of a merge conflict"
        "Resolve the manifest and its files, then run `promptc test --accept`."
    LOCK_NEWER "lock-newer" Input
        "a newer release wrote the lock"
        "Use that release."
    LOCK_OLDER "lock-older" Input
        "this release no longer reads the lock's format"
        "`promptc test --accept` writes it again. `promptc diff git:REV --recorded` compares snapshots of that revision as texts."
    LOCK_MALFORMED "lock-malformed" Input
        "a line of a lock is malformed"
        "Run `promptc test --accept`."
    LOCK_OF_ANOTHER "lock-of-another-manifest" Input
        "the header of a lock names another manifest"
        "`promptc test --accept` writes it again."
    SNAPSHOT_EDITED "snapshot-edited" Input
        "a snapshot differs from its lock"
        "`promptc test --accept` writes it again; `snapshots/** -text` in .gitattributes keeps git from changing it."
    SNAPSHOT_MISSING "snapshot-missing" Input
        "the snapshot of a text in a lock is missing"
        "Restore it, or run `promptc test --accept`."
    UNREADABLE_SNAPSHOT "unreadable-snapshot" World
        "a lock or snapshot cannot be read"
        "Check its permissions."
    NOTHING_SELECTED "nothing-selected" Input
        "there is no snapshot to test"
        "The filter is part of a manifest's path or a scenario's name. Hidden folders, `target` and `node_modules` are skipped."

    // Git
    NO_GIT "no-git" World
        "the program `git` cannot be run"
        "Install git, or add it to PATH."
    NOT_A_REPOSITORY "not-a-repository" Input
        "the current directory is in no git repository"
        "GIT_DIR names another one."
    UNKNOWN_REVISION "unknown-revision" Input
        "git knows no commit of that name here"
        "In a shallow clone, run `git fetch --unshallow`."
    NOT_IN_REVISION "not-in-revision" Input
        "a file is not part of a revision"
        "It was added later, or never committed."
    GIT_FAILED "git-failed" World
        "git failed or was stopped"
        "The message quotes git."

    // The agent's side
    NO_DIRECTORY_RULES "no-directory-rules" Input
        "the manifest has no `directory-rules`"
        "Declare it, such as directory-rules { file \"AGENTS.md\" }; `directory-rules #false` in an overlay removes it."

    NO_SKILLS "no-skills" Input
        "no layer of the manifest reads skills"
        "`skills \"DIR\"` in a layer reads every SKILL.md below that folder."
    SEVERAL_SKILLS "several-skills" Input
        "several layers read skills, and none was selected"
        "--layer names one."
    UNKNOWN_SKILL "unknown-skill" Input
        "no skill has that name"
        "A skill's name is `name` in its front matter, else its folder's. `promptc agent skills list` lists all."
    SKILL_NOT_LISTED "skill-not-listed" Input
        "the manifest does not list the skill"
        "`promptc agent skills list` gives the reason: `deny`, `allow`, `hide`, `where`, `shadow` or a scan."

    // Stores of sessions
    STORE_BUSY "store-busy" World
        "another process holds the session store for too long"
        "It hangs or was stopped. --wait SECONDS waits longer."
    STORE_NOT_IGNORED "store-not-ignored" Success
        "a new store is in a folder `.promptc` whose `.gitignore` does not ignore all files"
        "Prompts of sessions are private, and the file was there before the store. Write `*` as its only line."
    STORE_READ_ONLY "store-read-only" World
        "the session store cannot be written"
        "Each use of a session, and the rules of each folder, writes to the store and its folder."
    STORE_FULL "store-full" World
        "the session store has no room left"
        "A step that does not fit is undone."
    STORE_DAMAGED "store-damaged" World
        "something other than promptc changed the session store"
        "Damaged sessions are neither used nor rebuilt. `promptc session verify` lists them, `promptc session rm ID` removes one."
    SESSION_OF_ANOTHER_RELEASE "session-of-another-release" Input
        "this release does not read the format of a session's stored build"
        "Its text is still restored. `promptc build --session ID --refresh` rebuilds the session."
    STORE_TOO_NEW "store-too-new" World
        "a later release wrote the session store"
        "Use that release."
    NOT_A_STORE "not-a-store" World
        "the file is not a session store"
        "--store names it, else PROMPTC_STORE; the default is `.promptc/store.db` next to the manifest."
    UNKNOWN_STORE_KIND "unknown-store-kind" Input
        "a URL names the session store"
        "--store and PROMPTC_STORE take the path of a file. `./` before a name makes it a path."
    STORE_UNUSABLE "store-unusable" World
        "the session store cannot be opened, read or written"
        "The message has the system's reason."
    UNKNOWN_SESSION "unknown-session" Input
        "the store has no session of that name"
        "`promptc session list` lists them."
    UNKNOWN_BUILD "unknown-build" Input
        "a session has no build of that number, or no longer"
        "`promptc session show ID` lists builds, from 1."
    NO_STORE "no-store" Input
        "no session store is at the given place"
        "--store, else PROMPTC_STORE, names it; `promptc build --session ID` creates it."
    SESSION_EXISTS "session-exists" Input
        "the ID of an imported session is taken"
        "Choose another: --as NEWID."
    EXPORT_SYNTAX "export-syntax" Input
        "a file is not an exported session"
        "`promptc session export ID` writes one."
    EXPORT_TOO_NEW "export-too-new" Input
        "this release does not read the export's newer format"
        "Use the release that wrote it."
    EXPORT_TOO_OLD "export-too-old" Input
        "this release no longer reads the export's format"
        "Import it with an earlier release, or build the session again."
    EXPORT_CHANGED "export-changed" Input
        "an exported session was changed after it was written"
        "Its checksum does not match."

    SESSION_MISMATCH "session-mismatch" Input
        "the call is for another identity than the session"
        "Give each fact of `session { identity … }` the value of the first build, or none where it had none."
    IMPORTED_PLAN "imported-plan" Input
        "the plan of an imported session does not run"
        "promptc does not trust the export's manifest, and restores only texts. Builds and fact checks need a manifest that you trust, given with -m. Volatile tiers need the one that built the session."

    SESSION_REFRESHED "session-refreshed" World
        "another call rebuilt the session or reported its drift meanwhile"
        "The output is of the earlier state. Do not send its reminder; run the command again."

    // The command line
    UNKNOWN_PRESET "unknown-preset" Input
        "no preset has that name"
        "`promptc init --list-presets` lists them."
    WOULD_OVERWRITE "would-overwrite" Input
        "a file that would be written exists"
        "Choose another folder, or move the file."
    UNKNOWN_CODE "unknown-code" Input
        "no diagnostic code has that name"
        "`promptc explain --code list` lists them."
    DUMP_NOT_FOUND "dump-not-found" Input
        "`init --from` names no file, or a folder without dumps"
        "Files or `-` come after the target folder: promptc init DIR --from FILE."
    EMPTY_DUMP "empty-dump" Input
        "a dump for `init --from` has no text"
        "Save the prompt as it was sent."
    OUTPUT_NOT_WRITTEN "output-not-written" World
        "the output could not be written"
        "An existing file there is unchanged."
    UNKNOWN_MEMORY "unknown-memory" Input
        "no memory has that name, or there are several and none is named"
        "A memory has its layer's name. `promptc agent memory list` lists them."
    MEMORY_NOT_WRITABLE "memory-not-writable" Input
        "a memory cannot be written"
        "It must be one regular file at a known place: one `memory` source, without `search=`, in a root with one existing folder."
    MEMORY_LOCKED "memory-locked" World
        "another process held the lock of a memory for too long"
        "--wait sets how long to wait. A leftover `FILE.lock` blocks no one."
    LINKED_FILE "linked-file" Input
        "a file that promptc writes is a link, or below one"
        "promptc follows no link below the manifest's folder or the current directory."
    OUTPUT_IS_INPUT "output-is-input" Input
        "-o names a file that the prompt is made from"
        "Choose another file."
    NO_SUCH_PLACE "no-such-place" Input
        "the prompt has no such line, column, byte or text"
        "In each channel, lines and columns (characters) count from 1, bytes from 0."
    BAD_LINES "bad-lines" Input
        "some lines of a batch, or variants of a prompt, could not be built"
        "Without --fail-fast the others are built, and output line n belongs to input line or variant n."
    FACTS_NOT_FOUND "facts-not-found" Input
        "no facts file is at the given place"
        "--facts takes a JSON file, or `-` for standard input."
    OTHER_MANIFEST "other-manifest" Input
        "a manifest of another or unknown name made the session"
        "Give each agent its own session IDs or store (--store FILE). A manifest that has a `name` may move."
    USAGE "usage" Input
        "the command does not take these arguments"
        "`promptc COMMAND --help` lists them."
}

codes! {
    /// The codes of warnings and notes.
    NOTICES;

    NOT_IMPORTED "not-imported" Success
        "an import leads to no file, or back to a file that imports it, and stays as text"
        "The path counts from the importing file's folder. --verbose lists each; missing=error makes it an error."
    IMPORT_CYCLE "import-cycle" Success
        "documents import each other in a circle"
        "The import that leads back is not made. Remove one of the imports."
    PARTIAL_FRONTMATTER "partial-frontmatter" Success
        "a part of a document's front matter is not read"
        "`frontmatter parse lenient` reads only `key: value` lines of bad YAML: a value of several lines ends with its first line. Make it YAML: quote a value that holds a colon and a space. `check --sources` reports it as a warning."
    CONTROL_CHARACTER "control-character" Success
        "a control character reaches the prompt"
        "Nobody sees a NUL or an escape, and a provider may refuse it. Remove it from the file or the value. Tabs and line ends are none."
    CUT "cut" Success
        "a budget cut a text"
        "`promptc explain LAYER` shows the calculation; the artifact lists it under `notices`."
    DROPPED "dropped" Success
        "a budget or a missing import removed a text"
        "It did not fit even when cut, less than `floor` was left, its tier or prompt was over budget, or missing=drop removed an `@path`. `promptc explain --budget` shows the calculation."
    REPLACED "replaced" Success
        "a scan replaced a text or left it out"
        "`promptc explain LAYER` names rules and places. on-hit= of the scan decides what happens, except= excludes documents."
    SCAN_FINDING "scan-finding" Success
        "a scan found something in a text that stays"
        "on-hit=warn keeps it; other values replace it, leave it out or fail the build."
    NOT_FROZEN "not-frozen" Success
        "the frozen session does not know a given fact or root"
        "The value has no effect until the session is refreshed."
    UNLISTED_TEXT "unlisted-text" Success
        "no lock lists a text in the snapshots folder"
        "`test --accept` removes only listed snapshots. Move the file away."
    FROZEN_FACT "frozen-fact" Success
        "a fact changed after the session was frozen, without effect"
        "`session { identity NAME }` makes that an error, `session { refresh fact=NAME }` rebuilds the session. Else use a session ID for each value."
    LITTLE_FROZEN "little-frozen" Success
        "less than half of a new session's tools and system prompt is frozen"
        "Tiers before the first with `changes=turn` are frozen. Put that tier last, or give it `deliver=user`."
    PRIVATE_NOT_KEPT "private-not-kept" Success
        "a private fact of the frozen session has no value now"
        "Sessions store no private values. Give them in each call that builds."
    MARKS_BEHIND_LIVE_TEXT "marks-behind-live-text" Success
        "text that changes at every call comes before requested breakpoints on messages"
        "Nothing after such text is reused. deliver=user puts it after the messages."
    STALE_PRICES "stale-prices" Success
        "a price is more than 60 days old"
        "Use a newer release, or your own table: --providers FILE."
    ROW_LEFT_OUT "row-left-out" Success
        "a row of a file of prices was skipped as implausible or ambiguous"
        "promptc's own row, if any, is used. docs/providers.md has the limits."
    MISSING_SOURCE "missing-source" Success
        "a source names something that is missing, and the manifest does not say that it may be"
        "A source skips what is missing, so a misspelt name leaves text out of the prompt. Correct the name. missing=skip at the source, at a group around it or at its root says that it may be missing; missing=error makes it an error."
    UNUSED_OPTION "unused-option" Success
        "an option has no effect in this call"
        "The message says why. If the caller must have meant something else, this is an error with the code `usage`."
    UNUSED_INPUT "unused-input" Success
        "something that the call gives is not used by what it builds or reads"
        "A root that no source reads, a variable of a scenario that nothing has as `env=`, or facts where nothing is built now. Leave it out, or look for a misspelt name."
    EMPTY_PROMPT "empty-prompt" Success
        "the prompt has no text"
        "Without --format json, only the system prompt counts. `promptc explain` says why each layer is absent; required=#true on a layer makes that an error."
    INPUTS_LEFT_OUT "inputs-left-out" Success
        "the inputs of a build are not kept with it, because they are too large"
        "Compare two builds of such a prompt by the files themselves."
    OTHER_CHANNELS "other-channels" Success
        "some layers are not in the text that was written"
        "Tiers with `deliver=user` or `deliver=tools` go elsewhere. `--channel user`, `tools` or `all` writes them."
    UNMARKED_TIER "unmarked-tier" Success
        "a tier has no breakpoint, because the prefix is too short for the model to cache"
        "`promptc providers show MODEL` gives the minimum. The next breakpoint covers the tier."
    NOTHING_RECORDED "nothing-recorded" Success
        "no model call reached the recorder"
        "The command must use a base URL that `promptc capture run --print-env` lists. See docs/record.md."
    NOT_RECORDED "not-recorded" Success
        "some requests were sent and are not in the log"
        "Logging never delays or fails a request."
    REQUESTS_REFUSED "requests-refused" Success
        "the recorder refused requests"
        "It takes only requests for 127.0.0.1 and its port: none from web pages, none signed for its host, no WebSocket."
    UPSTREAM_FAILED "upstream-failed" Success
        "a provider did not take requests that the recorder sent"
        "The client got status 502. `--upstream NAME=URL` sets a provider's address, SSL_CERT_FILE certificates."
    EXEC_FAILED "exec-failed" Success
        "the command of `watch --exec` could not be run, or failed"
        "`watch` continues, and runs it again with the next changed prompt."
    BUILTIN_ROOTS "builtin-roots" Success
        "the folders of a built-in manifest count from the current directory"
        "--root NAME=DIR names others."
    OUTSIDE_ROOT "outside-root" Success
        "a path given to `agent rules` is outside the root of the directory rules"
        "It has no directory rules. Relative paths count from that root."
    MISSING_FOLDER "missing-folder" Success
        "the folder of a path given to `agent rules` does not exist"
        "Folders above still give directory rules. Paths count from the directory rules' root; `--root NAME=PATH` names another."
    NOTHING_TOLD "nothing-told" Success
        "a folder given to `agent rules` has nothing new"
        "A session gets the rules of each folder once. `promptc session show ID` lists them, `promptc session rm ID` forgets them."
    STATS "stats" Success
        "a layer's sizes, for build --stats"
        "With --message-format json, each layer has a note, absent ones too; otherwise a table."
}

/// The code called `name`, of an error or a notice.
#[must_use]
pub fn by_name(name: &str) -> Option<Code> {
    ALL.iter().chain(NOTICES).copied().find(|c| c.name == name)
}
