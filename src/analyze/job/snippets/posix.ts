/** Plain reads and writes of one process. */
import { entry, type Way } from "./entry.ts";
import { type Directed, whole } from "./words.ts";

/** Records gathered into whole megabytes. */
const writeBuffer = entry("write-buffer", {
  plain: {
    c: () => `/* gather small records, write whole megabytes */
enum { CAPACITY = 4 << 20 };
static char gathered[CAPACITY];
static size_t used;

static void flush_records(int fd) {
  for (size_t done = 0; done < used;) {
    ssize_t n = write(fd, gathered + done, used - done);
    if (n < 0) { perror("write"); exit(1); }
    done += (size_t)n;
  }
  used = 0;
}

/* bytes <= CAPACITY; call flush_records(fd) before the close */
static void put_record(int fd, const void *data, size_t bytes) {
  if (used + bytes > CAPACITY) flush_records(fd);
  memcpy(gathered + used, data, bytes);
  used += bytes;
}`,
    fortran: () => `! gather small records, write them with one statement
open(newunit=unit, file=path, access='stream', form='unformatted')
do first = 1, records, 4096
  last = min(first + 4095, records)
  write(unit) record(:, first:last)  ! instead of write(unit) record(:, i) for each i
end do
close(unit)`,
    python: () => `# the buffer gathers small records and writes whole megabytes
with open(path, "wb", buffering=4 << 20) as file:
    for record in records:
        file.write(record)  # no file.flush() here`,
  },
});

/** One large read for many records. */
const readAhead = entry("read-ahead", {
  plain: {
    c: () => `/* one large read, then take records from memory */
enum { CAPACITY = 4 << 20 };
posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
char *block = malloc(CAPACITY);
ssize_t filled = pread(fd, block, CAPACITY, offset);
for (ssize_t at = 0; at + record_bytes <= filled; at += record_bytes) use_record(block + at);
free(block);`,
    fortran: () => `! one statement for many records, then take them from memory
open(newunit=unit, file=path, access='stream', form='unformatted', action='read')
do first = 1, records, 4096
  last = min(first + 4095, records)
  read(unit) record(:, first:last)  ! instead of read(unit) record(:, i) for each i
end do
close(unit)`,
    python: () => `# the buffer reads whole megabytes, records come from memory
with open(path, "rb", buffering=4 << 20) as file:
    while record := file.read(record_bytes):
        use(record)`,
  },
});

/** Scattered reads in order of place, announced. */
const prefetch = entry("prefetch", {
  plain: {
    c: () => `/* no read-ahead that will not be used, and the next pieces announced */
posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
qsort(pieces, count, sizeof pieces[0], by_offset);
for (size_t i = 0; i < count; i++)
  posix_fadvise(fd, pieces[i].offset, (off_t)pieces[i].bytes, POSIX_FADV_WILLNEED);
for (size_t i = 0; i < count; i++)
  if (pread(fd, pieces[i].buffer, pieces[i].bytes, pieces[i].offset) < 0) perror("pread");`,
    fortran: () => `! in order of place, so that neighbours come from the same block
call sort(places)
do i = 1, count
  read(unit, pos=places(i)) record(:, i)
end do`,
    python: () => `import os

# no read-ahead that will not be used, and the next pieces announced
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
pieces.sort()  # (offset, bytes), by offset
for offset, size in pieces:
    os.posix_fadvise(fd, offset, size, os.POSIX_FADV_WILLNEED)
data = [os.pread(fd, size, offset) for offset, size in pieces]`,
    torch: () => `import random

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Blocks(IterableDataset):
    """Reads large blocks in random order and shuffles samples in memory."""

    def __init__(self, data, block):
        self.data, self.block = data, block

    def __iter__(self):
        worker = get_worker_info()
        step, first = (worker.num_workers, worker.id) if worker else (1, 0)
        starts = list(range(0, len(self.data), self.block))[first::step]
        random.shuffle(starts)
        for start in starts:
            block = list(self.data[start:start + self.block])  # one read
            random.shuffle(block)
            yield from block


loader = DataLoader(Blocks(data, block=4096), batch_size=batch, num_workers=2)`,
  },
});

/** Scattered writes in order of place, neighbours together. */
const sortedWrites = entry("sorted-writes", {
  plain: {
    c: () => `/* collect, sort by place, write neighbours together */
qsort(pieces, count, sizeof pieces[0], by_offset);
for (size_t i = 0, run; i < count; i += run) {
  struct iovec vectors[64]; /* at most IOV_MAX */
  off_t end = pieces[i].offset;
  for (run = 0; run < 64 && i + run < count && pieces[i + run].offset == end; run++) {
    vectors[run] = (struct iovec){pieces[i + run].buffer, pieces[i + run].bytes};
    end += (off_t)pieces[i + run].bytes;
  }
  if (pwritev(fd, vectors, (int)run, pieces[i].offset) < 0) perror("pwritev");
}`,
    fortran: () => `! collect, sort by place, write in that order
call sort(places)
do i = 1, count
  write(unit, pos=places(i)) record(:, i)
end do`,
    python: () => `import os

# collect (offset, bytes), sort by place, write neighbours together
writes.sort(key=lambda piece: piece[0])
run, start = bytearray(), None
for offset, data in writes:
    if start is not None and offset != start + len(run):
        os.pwrite(fd, run, start)
        start = None
    if start is None:
        run, start = bytearray(), offset
    run += data
if start is not None:
    os.pwrite(fd, run, start)`,
  },
});

type Aligned = Directed & {
  readonly stripeBytes: number;
};

const rankComment = ({ way }: Aligned) =>
  way === "write"
    ? "each rank begins at a stripe; the rest of the last stripe stays empty"
    : "each rank reads whole stripes; the last ranks have less or nothing";
const pieceComment = ({ way }: Aligned) =>
  way === "write"
    ? "pieces begin at stripes; the rest of the last stripe of a piece stays empty"
    : "pieces are whole stripes; the last one ends with the file";

const stripe = ({ stripeBytes }: Aligned) => Math.max(1, whole(stripeBytes));

/** Parts that begin at stripes. */
const alignedPieces = entry<Aligned>("aligned-pieces", {
  mpi: {
    c: (params) => `const MPI_Offset stripe = ${stripe(params)};
/* ${rankComment(params)} */
MPI_Offset share = (bytes_per_rank + stripe - 1) / stripe * stripe;
MPI_Offset offset = rank * share;`,
    fortran: (
      params,
    ) => `integer(kind=MPI_OFFSET_KIND), parameter :: stripe = ${stripe(params)}_MPI_OFFSET_KIND
integer(kind=MPI_OFFSET_KIND) :: share, offset
! ${rankComment(params)}
share = (bytes_per_rank + stripe - 1) / stripe * stripe
offset = rank * share`,
    python: (params) => `stripe = ${stripe(params)}
# ${rankComment(params)}
share = (bytes_per_rank + stripe - 1) // stripe * stripe
offset = comm.rank * share`,
  },
  plain: {
    c: (params) => `const off_t stripe = ${stripe(params)};
/* ${pieceComment(params)} */
off_t share = ((off_t)bytes + stripe - 1) / stripe * stripe;
off_t offset = piece_number * share;`,
    fortran: (params) => `integer(kind=8), parameter :: stripe = ${stripe(params)}_8
integer(kind=8) :: share, offset
! ${pieceComment(params)}
share = (bytes + stripe - 1) / stripe * stripe
offset = piece_number * share`,
    python: (params) => `stripe = ${stripe(params)}
# ${pieceComment(params)}
share = (piece_bytes + stripe - 1) // stripe * stripe
offset = piece_number * share`,
  },
});

/** Kept in memory for the next pass. */
const readOnce = entry("read-once", {
  plain: {
    c: () => `/* read once, keep it: later passes come from memory */
char *data = malloc(bytes);
ssize_t got = pread(fd, data, bytes, offset);
for (int pass = 0; got >= 0 && pass < passes; pass++) work(data, (size_t)got);`,
    fortran: () => `! read once, keep it: later passes come from memory
open(newunit=unit, file=path, access='stream', form='unformatted', action='read')
read(unit) values
close(unit)
do pass = 1, passes
  call work(values)
end do`,
    python: () => `import numpy as np

data = np.fromfile(path, dtype=np.uint8)  # read once, keep it: later passes come from memory
for _ in range(passes):
    work(data)`,
    torch: () => `from torch.utils.data import DataLoader, Dataset


class Kept(Dataset):
    """Reads a sample once and keeps it; workers live on, so that epochs share it."""

    def __init__(self, samples):
        self.samples, self.kept = samples, {}

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        if index not in self.kept:
            self.kept[index] = self.samples[index]
        return self.kept[index]


loader = DataLoader(Kept(dataset), batch_size=batch, num_workers=2, persistent_workers=True)`,
  },
});

/** Intermediate states that nobody reads are not written. */
const everyNth = entry("every-nth", {
  plain: {
    c: () => `/* intermediate states stay in memory; every n-th is written */
if (step % n == 0 || step == last) write_state(path, state);`,
    fortran: () => `! intermediate states stay in memory; every n-th is written
if (mod(step, n) == 0 .or. step == last) call write_state(path, values)`,
    python: () => `# intermediate states stay in memory; every n-th is written
if step % n == 0 or step == last:
    write_state(path, state)`,
  },
});

const cPositioned: Readonly<Record<Way, string>> = {
  read: "if (pread(fd, buffer, bytes, offset) < 0) perror(path); /* instead of lseek() and read() */",
  write: "if (pwrite(fd, buffer, bytes, offset) < 0) perror(path); /* instead of lseek() and write() */",
};

const pythonPositioned: Readonly<Record<Way, string>> = {
  read: "data = os.pread(fd, count, offset)  # instead of file.seek() and file.read()",
  write: "os.pwrite(fd, data, offset)  # instead of file.seek() and file.write()",
};

/** Calls that carry their offset. */
const positioned = entry<{ readonly ways: readonly Way[] }>("positioned", {
  plain: {
    c: ({ ways }) => ways.map((way) => cPositioned[way]).join("\n"),
    fortran: ({ ways }) =>
      ways
        .map((way) => `${way}(unit, pos=place) values  ! no read, rewind or inquire to get there`)
        .join("\n"),
    python: ({ ways }) => `import os

${ways.map((way) => pythonPositioned[way]).join("\n")}`,
  },
});

/** A region that is changed in memory. */
const updateInMemory = entry("update-in-memory", {
  plain: {
    c: () => `if (pread(fd, region, bytes, offset) < 0) perror(path); /* once */
for (size_t i = 0; i < changes; i++) apply(region, &change[i]);
if (pwrite(fd, region, bytes, offset) < 0) perror(path); /* once */`,
    fortran: () => `read(unit, pos=place) values  ! once
do i = 1, changes
  call apply(values, change(i))
end do
write(unit, pos=place) values  ! once`,
    python: () => `import os

region = bytearray(os.pread(fd, count, offset))  # once
for at, data in changes:
    region[at:at + len(data)] = data
os.pwrite(fd, region, offset)  # once`,
  },
});

/** Sync and rename once, after the last write. */
const syncOnce = entry("sync-once", {
  plain: {
    c: () => `for (size_t i = 0; i < pieces; i++)
  if (write(fd, piece[i], bytes) < 0) perror("write");
fdatasync(fd); /* once */
close(fd);
rename("checkpoint.new", "checkpoint");`,
    fortran: () => `do i = 1, pieces
  write(unit) piece(:, i)  ! no flush(unit) here
end do
close(unit)
call rename('checkpoint.new', 'checkpoint')  ! of gfortran and Intel`,
    python: () => `import os

with open("checkpoint.new", "wb") as file:
    for piece in pieces:
        file.write(piece)
    file.flush()
    os.fsync(file.fileno())  # once
os.replace("checkpoint.new", "checkpoint")`,
  },
});

/** Buffers at page boundaries. */
const alignedMemory = entry("aligned-memory", {
  plain: {
    c: () => `void *buffer;
if (posix_memalign(&buffer, 4096, bytes) != 0) abort(); /* instead of malloc(bytes) */`,
    python: () => `import mmap
import os

buffer = mmap.mmap(-1, count)  # anonymous memory begins at a page
os.preadv(fd, [buffer], offset)`,
  },
});

export const POSIX_SNIPPETS = {
  writeBuffer,
  readAhead,
  prefetch,
  sortedWrites,
  alignedPieces,
  readOnce,
  everyNth,
  positioned,
  updateInMemory,
  syncOnce,
  alignedMemory,
};
