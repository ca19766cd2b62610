/** A gzip file that comes through a pipe. */
import { FormatError, LimitError } from "../base/errors.ts";
import { bytesSource } from "../base/source.ts";
import { formatBytes } from "../base/units.ts";
import { gzipStream } from "./gzip-source.ts";
import type { StreamSource } from "./stream-source.ts";

/** A pipe, or what is in it when a gzip file comes through it. Takes over the pipe. */
export function unpackedPipe(
  pipe: StreamSource,
  keepGoing: boolean,
): StreamSource & { readonly cut?: string | undefined } {
  const [first, second] = pipe.read(0, 2);
  if (first !== 0x1f || second !== 0x8b) return pipe;
  const packed = { name: pipe.name, byteLength: pipe.byteLength, state: undefined, hasChanged: () => false };
  const stream = gzipStream(
    { ...packed, read: (offset, length) => pipe.read(offset, length), close: () => pipe.close() },
    keepGoing,
  );
  if (stream === undefined)
    throw new FormatError(
      pipe.name,
      {},
      "a gzip file, which this version of Node cannot unpack from a pipe; use zcat",
    );
  return {
    name: pipe.name,
    byteLength: stream.byteLength,
    get cut() {
      return stream.cut;
    },
    read: (offset, length, reuse) => stream.read(offset, length, reuse),
    whole(bytesMax) {
      const bytes = stream.read(0, bytesMax + 1);
      if (bytes.length > bytesMax)
        throw new LimitError(
          pipe.name,
          {},
          `more than ${formatBytes(bytesMax)} that cannot be streamed; save the input to a file, or raise --memory`,
        );
      return bytesSource(bytes, pipe.name);
    },
    close: () => stream.close(),
  };
}
