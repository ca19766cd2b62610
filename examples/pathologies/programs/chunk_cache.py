"""HDF5 chunk cache too small: a table is read row by row, but each chunk holds a column block of 256 rows. A row needs all
chunks of its band, which the default cache of 1 MiB does not hold, so each row reads the whole band. Mended: a cache of 64 MiB.
--count: rows to read."""
import os

import h5py
import numpy

import common

ROWS, COLUMNS, CHUNK = 256, 2048, (256, 256)
options = common.options(60, "rows to read")
path = os.path.join(options.folder, "table.h5")
if options.prepare:
    values = numpy.arange(ROWS * COLUMNS, dtype="f8").reshape(ROWS, COLUMNS)
    with h5py.File(path, "w") as file:
        # With a checksum for each chunk, HDF5 must read a chunk whole, as with compression.
        file.create_dataset("table", data=values, chunks=CHUNK, fletcher32=True)
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    common.drop_from_cache(descriptor)
    raise SystemExit

cache = {"rdcc_nbytes": 64 << 20} if options.mended else {}
descriptor = os.open(path, os.O_RDONLY)
total = 0.0
with h5py.File(path, "r", **cache) as file:
    table = file["table"]
    for row in range(options.count):
        total += table[row % ROWS].sum()
        common.drop_from_cache(descriptor)
print("sum", total)
