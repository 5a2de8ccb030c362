"""Lines of conversations, cut among partitions."""

import json
import zlib


def cut(context, lines, partitions):
    """The lines among so many partitions: those of a conversation are in one, in their order."""
    return (
        context.parallelize(list(enumerate(lines)), 5)
        .map(lambda pair: (json.loads(pair[1])["conversation"], pair))
        .partitionBy(partitions, lambda name: zlib.crc32(name.encode()))
        .mapPartitions(lambda part: [line for _, line in sorted(pair for _, pair in part)])
    )
