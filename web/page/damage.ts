/** Where a log breaks: the regions that its header names, and which of them lie before the place. */
import type { FormatError } from "../../src/base/errors.ts";
import type { ByteSource } from "../../src/base/source.ts";
import { type Header, readHeader } from "../../src/formats/darshan/header.ts";
import type { Place, PlacePart } from "./messages.ts";

/** No header is longer; what is wrong in one says nothing of where the file breaks off. */
const HEADER_BYTES_MAX = 4096;

/** Undefined where nothing is known but the line of the error. */
export function placeOf({ offset }: FormatError, source: ByteSource): Place | undefined {
  if (offset === undefined) return undefined;
  const size = source.byteLength;
  const header = headerOf(source);
  const parts = header === undefined ? [] : partsOf(header);
  const end = parts.at(-1)?.to ?? 0;
  if (end > size && isGapless(parts)) return { byte: size, of: end, isCut: true, parts };
  if (offset <= (header?.byteLength ?? HEADER_BYTES_MAX) || offset > size) return undefined;
  return { byte: offset, of: size, isCut: false, parts: parts.filter(({ to }) => to <= size) };
}

function headerOf(source: ByteSource): Header | undefined {
  try {
    return readHeader(source, true);
  } catch {
    return undefined;
  }
}

/** In the order of the file; what comes before the modules is one. */
function partsOf({ byteLength, job, names, modules }: Header): PlacePart[] {
  const regions = modules
    .map(({ name, region }) => ({ name, from: region.offset, to: region.offset + region.length }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  const first = regions[0]?.from ?? Number.POSITIVE_INFINITY;
  const head = Math.max(byteLength, job.offset + job.length, names.offset + names.length);
  return [{ name: "job, names", from: 0, to: Math.min(head, first) }, ...regions];
}

/** Darshan writes regions one behind the other; a claim that is damaged itself leaves a hole. */
const isGapless = (parts: readonly PlacePart[]) =>
  parts.every(({ from }, at) => from === (parts[at - 1]?.to ?? 0));

/** A stretch of the strip that shows the file. */
interface Stretch {
  /** Of the file. */
  readonly share: number;
  readonly isSound: boolean;
  /** Empty where it is too short for one. */
  readonly label: string;
}

const LABELLED_MIN = 0.14;

export function stretchesOf({ byte, of, isCut, parts }: Place): Stretch[] {
  const ends = [...new Set([...parts.flatMap(({ from, to }) => [from, to]), byte, of])]
    .filter((at) => at > 0 && at <= of)
    .sort((a, b) => a - b);
  let bad = false;
  return ends.map((to, at) => {
    const from = ends[at - 1] ?? 0;
    const isSound = to <= byte;
    const name = parts.find((part) => part.from <= from && to <= part.to)?.name ?? "";
    const broken = isCut ? "missing" : `${name} damaged`.trim();
    // What lies behind the first damaged stretch was not looked at.
    const text = isSound ? name : bad ? "" : broken;
    bad ||= !isSound;
    const share = (to - from) / of;
    return { share, isSound, label: !isSound || share >= LABELLED_MIN ? text : "" };
  });
}
