"""Makes golden outputs from the real hermes-agent package.

    python -m generator --seed 1 --out DIR [--cases 48] [--no-themes] [--kinds constants,prompt,…]

Nothing here is copied from Hermes: it builds random inputs, calls the installed package, and stores what the package
answered. What it replaces, and by what:

  clock              hermes_time.datetime: a fixed instant (the package's time zone logic still runs)
  kernel release     platform.release(): the fact "host_release"
  WSL, container     cached detections: the facts "wsl", "env_detect"
  python toolchain   the probe's cache: the fact "env_probe_line" (else 6 subprocesses)
  remote backend     the live probe: the fact "backend_probe" (else docker or ssh would be started)
  Nous subscription  the account: the fact "nous_features" (else a network and credentials)
  memory provider    an object with one method: the fact "memory_provider_block"
  the agent object   a namespace filled as agent_init fills it from the real load_config()

All else (discovery of context files, scan, truncation, memory store, skills, coding posture, git snapshot, platform
hints, assembly) is the package's own code on real files.

What stands in DIR afterwards:

  constants/NAME.txt, constants/*.json   texts and tables of which a prompt is made, read from the package
  case-NNN/{home,project,ext}            the input as it was before the run
  case-NNN/facts.json                    every runtime fact, the parsed configuration among them
  case-NNN/expected.txt                  the prompt of the first build (no skills snapshot on disk)
  case-NNN/expected.warm.txt             only if a second build (snapshot on disk) differs
  case-NNN/layers.json                   the parts that the package joined, in order, with names
  truncate.json, threat.json, frontmatter.json    rows of one function each: see rows.py
  memory/, cache_control/, subdir/       sequences of calls: see sequences.py
  index.json                             the seed, the versions and the hash of each case

Every random choice comes from the seed, so a seed gives the same cases anywhere; only absolute paths differ.
"""
