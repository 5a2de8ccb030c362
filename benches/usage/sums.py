"""Sums the tokens of a log with polars: no cause, no price. Prints what `promptc usage --format json` has in `total.buckets`."""

import json
import sys

import polars as pl

USAGE = {
    "input_tokens": pl.Int64,
    "cache_read_input_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "cache_creation": pl.Struct({"ephemeral_5m_input_tokens": pl.Int64, "ephemeral_1h_input_tokens": pl.Int64}),
}
log = pl.scan_ndjson(sys.argv[1], schema={"kind": pl.String, "usage": pl.Struct(USAGE)}, ignore_errors=True)
usage = pl.col("usage").struct
written = usage.field("cache_creation").struct
sums = log.filter(pl.col("kind") == "response").select(
    fresh=usage.field("input_tokens").sum(),
    read=usage.field("cache_read_input_tokens").sum(),
    write_5m=written.field("ephemeral_5m_input_tokens").sum(),
    write_1h=written.field("ephemeral_1h_input_tokens").sum(),
    output=usage.field("output_tokens").sum(),
)
found = sums.collect(engine="streaming").row(0, named=True)
print(json.dumps({**found, "write_other": 0}, sort_keys=True))
