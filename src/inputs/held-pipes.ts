/** Inputs that can be read only once, held in memory for whoever reads them again: standard input, named pipes, `<(command)`. */
import { statSync } from "node:fs";
import { FormatError, LimitError } from "../base/errors.ts";
import { formatBytes } from "../base/units.ts";
import type { FileSource } from "../node/file-source.ts";
import { gunzipped } from "../node/gzip-source.ts";
import { fsPath } from "../node/raw-path.ts";
import { openStream, standardInput } from "../node/stream-source.ts";
import { type InputHost, requireOneStdin, STDIN } from "./job/index.ts";

const HELD_BYTES_MAX = 1 << 30;
/** What standard input is called in reports and messages; a file of this name is `./stdin`. */
const STDIN_NAME = "stdin";

/** Whether it can be read only once; a terminal, too. */
export function isPipe(word: string): boolean {
  if (word === STDIN) return true;
  const stat = statSync(fsPath(word), { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

interface HeldPipes {
  /** Paths for the host, in the order of the words. */
  readonly paths: readonly string[];
  readonly host: InputHost;
}

/** The host, which opens the pipes among the words as often as it is asked to. */
export function holdPipes(words: readonly string[], host: InputHost, bytesMax = HELD_BYTES_MAX): HeldPipes {
  requireOneStdin(words);
  const names = new Map(words.filter(isPipe).map((word) => [word === STDIN ? STDIN_NAME : word, word]));
  if (names.size === 0) return { paths: words, host };
  const held = new Map<string, Uint8Array>();
  const bytesOf = (name: string, word: string): Uint8Array => {
    let bytes = held.get(name);
    if (bytes === undefined) held.set(name, (bytes = bytesOfPipe(name, word, bytesMax)));
    return bytes;
  };
  return {
    paths: words.map((word) => (word === STDIN ? STDIN_NAME : word)),
    host: {
      ...host,
      list: (path) => (names.has(path) ? undefined : host.list(path)),
      isFile: (path) => !names.has(path) && host.isFile(path),
      open(path, options = {}) {
        const word = names.get(path);
        return word === undefined
          ? host.open(path, options)
          : gunzipped(heldSource(path, bytesOf(path, word)), { ...options, bytesMax });
      },
      async readTable(path, ...rest) {
        if (names.has(path))
          throw new FormatError(path, {}, "a Parquet table cannot be read from a pipe; save it to a file");
        await host.readTable?.(path, ...rest);
      },
    },
  };
}

function bytesOfPipe(name: string, word: string, bytesMax: number): Uint8Array {
  const pipe = word === STDIN ? standardInput(name) : openStream(word);
  try {
    const bytes = pipe.read(0, bytesMax + 1);
    if (bytes.length > bytesMax)
      throw new LimitError(
        name,
        {},
        `more than ${formatBytes(bytesMax)} from a pipe; save the input to a file`,
      );
    return bytes;
  } finally {
    if (word !== STDIN) pipe.close();
  }
}

const heldSource = (name: string, bytes: Uint8Array): FileSource => ({
  name,
  byteLength: bytes.length,
  state: undefined,
  hasChanged: () => false,
  read: (offset, length) => bytes.subarray(offset, offset + length),
  close: () => {},
});
