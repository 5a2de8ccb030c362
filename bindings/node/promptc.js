#!/usr/bin/env node
"use strict";
// `npx promptc-cli` is the program itself.
const { spawnSync } = require("node:child_process");
const { program } = require("./program.js");
try {
  const ran = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
  if (ran.error) throw ran.error;
  if (ran.signal) process.kill(process.pid, ran.signal);
  process.exitCode = ran.status ?? 2;
} catch (error) {
  console.error(`promptc: ${error.message}`);
  process.exitCode = 2;
}
