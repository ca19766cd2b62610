"""Re-reads: a training loop reads its samples from storage in every epoch. Mended: they are read once and kept in memory.
--count: MiB of samples."""
import os
import zlib

import common

EPOCHS = 6
PIECE = 1 << 20
options = common.options(40, "MiB of samples")
path = os.path.join(options.folder, "samples")
if options.prepare:
    common.make_input(path, options.count << 20)
    raise SystemExit


def samples():
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(PIECE):
            yield piece
        common.drop_from_cache(file.fileno())


kept = list(samples()) if options.mended else None
total = 0
for epoch in range(EPOCHS):
    for sample in kept or samples():
        total = zlib.crc32(sample[:64], total)
print("sum", total)
