"""Read back: a program reads what it has just written, to be sure. Mended: it computes the checksum of what it writes on the
way and trusts the storage. --count: MiB."""
import os
import zlib

import common

PIECE = 1 << 20
options = common.options(90, "MiB to write")
path = os.path.join(options.folder, "out")

pieces = [common.data(PIECE, at) for at in range(4)]
fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
written = 0
for at in range(options.count):
    piece = pieces[at % len(pieces)]
    written = zlib.crc32(piece, written)
    os.write(fd, piece)
os.fsync(fd)
if not options.mended:
    common.drop_from_cache(fd)
    os.lseek(fd, 0, os.SEEK_SET)
    read = 0
    while piece := os.read(fd, PIECE):
        read = zlib.crc32(piece, read)
    if read != written:
        raise SystemExit(f"{path}: {read:08x} read, {written:08x} written")
os.close(fd)
print(f"checksum {written:08x}")
