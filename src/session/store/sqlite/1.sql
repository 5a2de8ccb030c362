CREATE TABLE root (
    one INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    shards BLOB NOT NULL,
    digest BLOB NOT NULL
) STRICT;
CREATE TABLE shard (
    number INTEGER PRIMARY KEY,
    digest BLOB NOT NULL
) STRICT;
CREATE TABLE session (
    shard INTEGER NOT NULL,
    id TEXT NOT NULL,
    created INTEGER NOT NULL,
    used INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    build BLOB NOT NULL,
    told_at INTEGER,
    told BLOB,
    PRIMARY KEY (shard, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE build (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    terms TEXT NOT NULL,
    tools BLOB,
    system BLOB,
    user BLOB,
    map BLOB NOT NULL,
    plan BLOB NOT NULL,
    inputs BLOB NOT NULL,
    earlier BLOB,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE hint (
    shard INTEGER NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    folders TEXT NOT NULL,
    PRIMARY KEY (shard, id)
) STRICT, WITHOUT ROWID;
