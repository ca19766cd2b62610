/** Tables of the report. */
import { type Cell, type NcioPoint, type TableBlock, table } from "../../model/index.ts";
import type { Claim } from "./claims.ts";
import type { Leaders, Pair } from "./crossover.ts";
import type { Guideline } from "./guideline.ts";
import { methodName, VARIABLE_WORDS } from "./methods.ts";
import { crossoverText, leadsText, valueText } from "./words.ts";

export function guidelinesTable(guidelines: readonly Guideline[]): TableBlock {
  return table(
    "guidelines",
    "The paper's guidelines and whether these results confirm them; the reasons follow.",
    [
      ["number", "No.", "index", "Number in section 6 of the paper."],
      ["guideline", "Guideline", "text", "In short."],
      ["verdict", "Verdict", "text", "By more than half of the patterns, and by more than their spreads."],
    ],
    guidelines.map(({ number, title, verdict }): Cell[] => [number, title, verdict]),
  );
}

export function measuresTable(guidelines: readonly Guideline[]): TableBlock {
  return table(
    "published",
    "Published factors next to measured ones, at the measured point nearest to the paper's.",
    [
      ["guideline", "Guideline", "index", "Number in section 6 of the paper."],
      ["what", "What", "text", "The ratio of two bandwidths."],
      ["published", "Paper", "text", "From the paper's text."],
      ["measured", "Here", "text", "Factor, with its interval in brackets."],
      ["where", "Where", "text", "Case and pattern here."],
    ],
    guidelines.flatMap(({ number, measures }) =>
      measures.map(({ label, published, measured, where }): Cell[] => [
        number,
        label,
        published === "" ? "–" : published,
        measured,
        where === "" ? "–" : where,
      ]),
    ),
  );
}

export function claimsTable(claims: readonly Claim[]): TableBlock {
  return table(
    "claims",
    "Published and measured numbers and curves of sections 4 and 5, and whether the relation holds.",
    [
      ["id", "No.", "text", "Ours."],
      ["place", "Section", "text", "Section of the paper."],
      ["what", "What", "text", "The relation."],
      ["published", "Paper", "text", "From the paper's text."],
      ["measured", "Here", "text", "With its interval in brackets if there are spreads."],
      ["verdict", "Verdict", "text", "On the relation, not on rates, which depend on the machine."],
      ["where", "Where", "text", "Case and pattern here."],
    ],
    claims.map(({ id, place, title, published, measured, verdict, where }): Cell[] => [
      ...[id, place, title, published, measured, verdict],
      where === "" ? "–" : where,
    ]),
  );
}

export function leadersTable(leaders: readonly Leaders[]): TableBlock {
  return table(
    "leaders",
    "The fastest method along each variable, the others at their defaults.",
    [
      ["variable", "Varied", "text", "The varied parameter."],
      ["case", "Case", "text", "Memory and file, contiguous (c) or not (nc)."],
      ["direction", "Direction", "text", "Writes or reads."],
      ["fastest", "Fastest", "text", "Fastest methods and their ranges."],
      ["crossover", "Crossover", "text", "Interpolated position, and the measured values around it."],
    ],
    leaders.map((one): Cell[] => [
      VARIABLE_WORDS[one.variable].label,
      one.case,
      one.direction,
      leadsText(one),
      one.crossovers.length === 0
        ? "none in the range"
        : one.crossovers.map((crossover) => crossoverText(one.variable, crossover)).join("; "),
    ]),
  );
}

export function crossoverTable(pairs: readonly Pair[]): TableBlock {
  return {
    ...table(
      "pairs",
      "Each pair of methods.",
      [
        ["variable", "Varied", "text", "The varied parameter."],
        ["case", "Case", "text", "Memory and file, contiguous (c) or not (nc)."],
        ["direction", "Direction", "text", "Writes or reads."],
        ["pair", "Methods", "text", "The two compared methods."],
        ["crossover", "Crossover", "text", "Interpolated position, and the measured values around it."],
      ],
      pairs.map((pair): Cell[] => [
        VARIABLE_WORDS[pair.variable].label,
        pair.case,
        pair.direction,
        `${methodName(pair.first)}, ${methodName(pair.second)}`,
        pairText(pair),
      ]),
    ),
    searchable: true,
  };
}

function pairText({ variable, crossovers, throughout, range: [low, high] }: Pair): string {
  if (crossovers.length > 0)
    return crossovers.map((crossover) => crossoverText(variable, crossover)).join("; ");
  const range = `from ${valueText(variable, low)} to ${valueText(variable, high)}`;
  return throughout === undefined || throughout === "no difference seen"
    ? `no difference seen ${range}`
    : `no crossover ${range}: ${methodName(throughout)} is faster, or no difference is seen`;
}

export function pointsTable(points: readonly NcioPoint[]): TableBlock {
  return {
    ...table(
      "points",
      "Every measured point.",
      [
        ["case", "Case", "text", "Memory and file, contiguous (c) or not (nc)."],
        ["method", "Method", "text", "Method of noncontiguous I/O."],
        ["direction", "Direction", "text", "Written or read."],
        ["count", "Regions", "count", "Of one rank."],
        ["size", "Size", "bytes", "Of a region."],
        ["spacing", "Spacing", "bytes", "Distance between region starts."],
        ["bandwidth", "Bandwidth", "bytes/s", "Mean of the counted repetitions, sync included."],
        ["low", "Lowest", "bytes/s", "Of the counted repetitions."],
        ["high", "Highest", "bytes/s", "Of the counted repetitions."],
        ["withoutSync", "Without sync", "bytes/s", "Bandwidth without sync time."],
        ["seconds", "Time", "seconds", "Until the last rank is done."],
        ["sync", "Sync", "seconds", "Part of it spent in sync."],
        ["requests", "Requests", "count", "Of all ranks in one repetition."],
        ["expected", "Formula", "count", "Requests by the closed formula."],
        ["messages", "Messages", "count", "To servers."],
        ["moved", "Moved", "bytes", "To or from the storage, holes included."],
        ["bps", "BPS", "blocks/s", "512-byte blocks requested by the ranks per second of I/O time."],
        ["iops", "IOPS", "calls/s", "Operations of ranks over the same time."],
        ["arpt", "ARPT", "seconds", "Mean time of an operation of a rank."],
      ],
      points.map((point): Cell[] => [
        point.case,
        methodName(point.method),
        point.direction,
        point.count,
        point.size,
        point.spacing,
        point.bandwidthBytesPerSecond,
        point.spread.low,
        point.spread.high,
        point.bandwidthWithoutSyncBytesPerSecond,
        point.seconds,
        point.syncSeconds,
        point.requests,
        point.expectedRequests,
        point.messages,
        point.movedBytes,
        point.bps,
        point.iops,
        point.arptSeconds,
      ]),
    ),
    searchable: true,
  };
}
