"""Unbuffered reads: with buffering=0 every record of 32 bytes is a system call. Mended: Python's own buffer. --count: records."""
import os
import struct

import common

RECORD = 32
options = common.options(1_500_000, "records of the file")
path = os.path.join(options.folder, "input")
if options.prepare:
    common.make_input(path, options.count * RECORD)
    raise SystemExit

total = 0
first = struct.Struct("<I28x")
with open(path, "rb", **({} if options.mended else {"buffering": 0})) as file:
    while record := file.read(RECORD):
        total += first.unpack(record)[0]
print("sum", total)
