"""The same lines through `rdd.pipe` and through one process: every line of the results must be the same."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

import pyspark

LINES = 2_000
# More partitions than cores, fewer and more lines than threads in each, and one with nothing in it.
PARTITIONS = [1, 2, 4, 7, 64]

MANIFEST = """promptc 1
root workspace default="."
fact user  string
fact n     int default=1
fact today date clock=utc
tier stable {
    layer rules { file "rules.md"; budget 60 marker="[cut]" }
    layer user { template "You are talking to {{ user | sanitize }}." }
    layer numbers when="n > 1" { template "{% for i in range(n) %}{{ i }} {% endfor %}" }
}
tier daily changes=day { layer date { template "Today is {{ today }}." } }
"""


def facts(number):
    """Line `number`: most are good; a few are bad in each of the ways that a line can be."""
    bad = {17: "", 18: "{", 19: "[1]", 20: '{"n": 2}', 21: '{"user": 3}', 22: '{"usr": "x"}'}
    if number % 97 in bad:
        return bad[number % 97]
    line = {"user": f"user {number} ä \u2028 \"quoted\"", "n": number % 50}
    return json.dumps(line, ensure_ascii=number % 2 == 0)


def main(program):
    lines = [facts(number) for number in range(LINES)]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("promptc.kdl", "w", encoding="utf-8") as file:
            file.write(MANIFEST)
        with open("rules.md", "w", encoding="utf-8") as file:
            file.write("Say what was done.\n" * 9)
        command = [program, "build", "-q", "-m", os.path.join(folder, "promptc.kdl")]
        command += ["--now", "2026-03-30T09:00:00Z", "--batch", "-"]

        one = subprocess.run(
            command, input="".join(f"{line}\n" for line in lines).encode(), capture_output=True
        )
        # There are bad lines.
        assert one.returncode == 2, one.stderr
        expected = one.stdout.decode().split("\n")
        assert expected.pop() == "" and len(expected) == LINES, len(expected)
        bad = sum("errors" in json.loads(line) for line in expected)
        assert 0 < bad < LINES / 10, bad

        context = pyspark.SparkContext("local[2]", "promptc")
        context.setLogLevel("ERROR")
        print(f"Spark {context.version}, Java {context._jvm.System.getProperty('java.version')}")
        for partitions in PARTITIONS:
            rdd = context.parallelize(lines, partitions)
            piped = rdd.pipe(shlex.join(command))
            result = piped.collect()
            assert result == expected, first_difference(result, expected)
            # Each result stands in the partition of its line, so both can be put side by side without a key.
            pairs = rdd.zip(piped).filter(lambda pair: '"errors"' not in pair[1])
            zipped = pairs.count()
            assert zipped == LINES - bad, zipped
            print(f"{partitions:>3} partitions: {LINES} lines, {bad} of them bad, the same as one process")
        empty = context.parallelize(lines[:3], 8).pipe(shlex.join(command)).collect()
        assert empty == expected[:3], empty
        print("  8 partitions, 5 of them empty: the same as one process")

        # Whoever wants bad lines to fail the job lets Spark look at the exit code.
        strict = context.parallelize(lines, 4).pipe(shlex.join(command), checkCode=True)
        try:
            strict.count()
        except Exception as error:
            assert "exited with error code 2" in str(error), error
            print("  checkCode=True: the job fails")
        else:
            raise AssertionError("a job with bad lines and checkCode=True went through")
        context.stop()


def first_difference(result, expected):
    for number, (one, other) in enumerate(zip(result, expected)):
        if one != other:
            return f"line {number + 1}: {one} instead of {other}"
    return f"{len(result)} lines instead of {len(expected)}"


if __name__ == "__main__":
    main(sys.argv[1])
