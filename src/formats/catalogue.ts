/** The table of formats, and how one is found for an input. */
import { FormatError } from "../base/errors.ts";
import type { ByteSource } from "../base/source.ts";
import { darshan } from "./darshan/index.ts";
import type { Format } from "./format.ts";

export const FORMATS: readonly Format[] = [darshan];

/** How many bytes `recognizes` may look at. */
const HEAD_BYTES = 4096;

/** The format of an input, by its first bytes; names are only a hint. Undefined when none knows it. */
export function findFormat(source: ByteSource): Format | undefined {
  const head = source.read(0, HEAD_BYTES);
  return FORMATS.find((candidate) => candidate.recognizes(head, source.name));
}

/** The same, where an unknown input is an error. */
export function detectFormat(source: ByteSource): Format {
  const format = findFormat(source);
  if (format !== undefined) return format;
  const known = FORMATS.map(({ label }) => label).join(", ");
  throw new FormatError(
    source.name,
    { offset: 0 },
    `${source.byteLength === 0 ? "the file is empty" : "unknown format"} (have: ${known})`,
  );
}
