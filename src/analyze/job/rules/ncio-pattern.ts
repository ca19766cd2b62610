/**
 * The pattern of `plimsoll ncio` that does what a file saw, as a command line: which method is fast for it can then be measured on
 * the storage itself. Counters say sizes and gaps, not places: there is a pattern only when one size and one gap make most of it.
 */
import type { LayerRecord } from "../records.ts";
import { callsOf, consecutiveOf, known, type Way } from "./measures.ts";

/** Ours: what less than half of the calls do is not the pattern of a file. */
const MOST = 0.5;
/** Ours: Darshan counts sizes and gaps of both directions together, so one has to be nearly alone. */
const OTHER_WAY = 0.05;
/** The most that the command takes; methods keep their order with more. */
const RANKS_MAX = 1024;

interface FittingPattern {
  /** What lies where in memory is not recorded. */
  readonly case: "c-nc" | "nc-c";
  readonly count: number;
  readonly size: number;
  readonly spacing: number;
  readonly ranks: number;
}

/** Undefined when the counters do not support one. */
function fittingPattern(record: LayerRecord, way: Way): FittingPattern | undefined {
  const calls = callsOf(record, way);
  const [access] = record.accesses;
  if (access === undefined || !(calls >= record.ranks) || !(record.ranks > 0)) return undefined;
  if (known(callsOf(record, way === "read" ? "write" : "read")) > OTHER_WAY * calls) return undefined;
  if (!(access.bytes > 0 && access.count >= MOST * calls)) return undefined;
  const common = {
    count: Math.round(calls / record.ranks),
    size: access.bytes,
    ranks: Math.min(record.ranks, RANKS_MAX),
  };
  const gap = record.strides.find(({ bytes, count }) => bytes > 0 && count >= MOST * calls);
  if (gap !== undefined) {
    // Regions of the benchmark go around the ranks: those of one rank lie ranks × spacing apart.
    const spacing = Math.floor((access.bytes + gap.bytes) / record.ranks);
    return spacing >= access.bytes ? { case: "c-nc", ...common, spacing } : undefined;
  }
  // Pieces that follow one another in the file and yet take a call each.
  return consecutiveOf(record, way) >= MOST * calls
    ? { case: "nc-c", ...common, spacing: 2 * access.bytes }
    : undefined;
}

/** A sentence with the command, to follow others; empty without a pattern. */
export function ncioSentence(record: LayerRecord, way: Way): string {
  const pattern = fittingPattern(record, way);
  if (pattern === undefined) return "";
  const { count, size, spacing, ranks } = pattern;
  const words = [
    `plimsoll ncio --case ${pattern.case} --count ${count} --size ${size} --spacing ${spacing} -n ${ranks}`,
    ...(way === "read" ? ["--direction read"] : []),
  ];
  const told =
    pattern.case === "nc-c"
      ? " (the spacing in memory is not recorded; twice the piece size is assumed)"
      : "";
  return ` To measure which method is fast for this pattern on the same storage${told}, run there: ${words.join(" ")}`;
}
