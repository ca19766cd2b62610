/** C streams: fopen, fread, fwrite. Python's own files use no streams; numpy's fromfile and tofile do. */
import { entry } from "./entry.ts";
import { type Directed, whole } from "./words.ts";

type Stream = Directed & {
  /** Size of the largest of the files. */
  readonly fileBytes: number;
};

/** Smaller files fit into the buffer that every stream has (st_blksize). */
const TINY_BYTES = 4096;
const LEAST_BYTES = 64 << 10;
const MOST_BYTES = 4 << 20;

/** A power of two that holds the file, at most 4 MiB. */
function bufferBytes({ fileBytes }: Stream): number {
  let bytes = LEAST_BYTES;
  while (bytes < MOST_BYTES && bytes < whole(fileBytes)) bytes *= 2;
  return bytes;
}

/** A buffer would not help: it has one that holds all of it. */
export const isTinyStream = ({ fileBytes }: Pick<Stream, "fileBytes">) => fileBytes <= TINY_BYTES;

const cTiny = {
  read: `/* a file this small: read it with one call and keep it */
char text[${TINY_BYTES}];
FILE *stream = fopen(path, "rb");
size_t bytes = stream == NULL ? 0 : fread(text, 1, sizeof text, stream);
if (stream != NULL) fclose(stream);`,
  write: `/* a file this small: assemble it in memory and write it with one call */
FILE *stream = fopen(path, "wb");
if (stream == NULL || fwrite(text, 1, bytes, stream) != bytes || fclose(stream) != 0) perror(path);`,
};

const pythonTiny = {
  read: `from pathlib import Path

text = Path(path).read_bytes()  # a file this small: read it with one call and keep it`,
  write: `from pathlib import Path

Path(path).write_bytes(text)  # a file this small: assemble it in memory and write it with one call`,
};

const cBuffer = (params: Stream) => `FILE *stream = fopen(path, "${params.way === "read" ? "rb" : "wb"}");
/* before the first read or write; the stream frees the buffer with itself */
setvbuf(stream, NULL, _IOFBF, ${bufferBytes(params)});
${
  params.way === "read"
    ? "/* no setbuf(stream, NULL) */"
    : "/* no fflush() after each record, no setbuf(stream, NULL) */"
}`;

const pythonBuffer = (
  params: Stream,
) => `with open(path, "${params.way === "read" ? "rb" : "wb"}", buffering=${bufferBytes(params)}) as file:
${
  params.way === "read"
    ? "    record = file.read(record_bytes)  # from the buffer"
    : "    for record in records:\n        file.write(record)  # no file.flush() after each"
}`;

/** A buffer that fits the file; for tiny files a single call. */
const streamBuffer = entry<Stream>("stream-buffer", {
  plain: {
    c: (params) => (isTinyStream(params) ? cTiny[params.way] : cBuffer(params)),
    python: (params) => (isTinyStream(params) ? pythonTiny[params.way] : pythonBuffer(params)),
  },
});

const cBulk = {
  read: `int fd = open(path, O_RDONLY);
ssize_t got = pread(fd, buffer, bytes, offset); /* megabytes a call */
close(fd);`,
  write: `int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
ssize_t put = pwrite(fd, buffer, bytes, offset); /* megabytes a call */
close(fd);`,
};

/** Bulk data past the streams; `buffer` where a larger one would help as a first step. */
const pastStreams = entry<Stream & { readonly buffer: boolean }>("past-streams", {
  plain: {
    c: (params) =>
      isTinyStream(params)
        ? cTiny[params.way]
        : `${params.buffer ? `/* first step */\n${cBuffer(params)}\n\n/* better */\n` : ""}${cBulk[params.way]}`,
    python: (params) =>
      isTinyStream(params)
        ? pythonTiny[params.way]
        : params.way === "write"
          ? `# instead of array.tofile(path), which copies through a C stream
with open(path, "wb", buffering=0) as file:
    view = memoryview(array).cast("B")
    while view:
        view = view[file.write(view):]`
          : `# instead of np.fromfile(path), which copies through a C stream
with open(path, "rb", buffering=0) as file:
    view = memoryview(array).cast("B")
    while view and (got := file.readinto(view)):
        view = view[got:]`,
  },
});

/** One seek and one read for a region. */
const readRegion = entry<Directed>("read-region", {
  plain: {
    c: ({ way }) =>
      way === "read"
        ? `/* one seek and one read for the region, then select in memory */
fseeko(stream, first, SEEK_SET);
size_t got = fread(region, 1, bytes, stream);`
        : `/* assemble the region in memory, then one seek and one write */
fseeko(stream, first, SEEK_SET);
size_t put = fwrite(region, 1, bytes, stream);`,
    python: ({ way }) => `import numpy as np

${
  way === "read"
    ? `# one read for the region, then select in memory
region = np.fromfile(path, dtype=np.float64, count=count, offset=first)
wanted = region[indices]`
    : `# assemble the region in memory, then one seek and one write
with open(path, "r+b") as file:
    file.seek(first)
    file.write(region)`
}`,
  },
});

export const STDIO_SNIPPETS = {
  streamBuffer,
  pastStreams,
  readRegion,
};
