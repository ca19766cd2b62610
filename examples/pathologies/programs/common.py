"""What the Python programs share: the command line, and an input that is not in the page cache."""
import argparse
import os
import zlib


def options(count, meaning):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--mended", action="store_true", help="run without the flaw")
    parser.add_argument("--prepare", action="store_true", help="only make the input, which is not measured")
    parser.add_argument("--count", type=int, default=count, help=meaning)
    return parser.parse_args()


def data(size, start=0):
    """Bytes that depend on their position, so that two variants can be compared."""
    return b"".join(zlib.crc32(b"%d" % (start + at)).to_bytes(4, "little") * 256 for at in range(0, size, 1024))[:size]


def drop_from_cache(fd):
    """A file of this size would stay in the page cache; one larger than memory would not. Written data must be synced before."""
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def make_input(path, size):
    with open(path, "wb") as file:
        for at in range(0, size, 1 << 20):
            file.write(data(min(1 << 20, size - at), at))
        file.flush()
        os.fsync(file.fileno())
        drop_from_cache(file.fileno())
