/** Two numbers of the evidence side by side: what is too much, or too little, and what it is to be compared with. */
import { formatBytes, formatMany } from "../../../base/units.ts";
import type { EvidenceNumber, Unit } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import { percentText } from "../headline-words.ts";
import type { Job } from "../job.ts";
import { secondsText } from "../rules/index.ts";
import type { Evident, PictureMaker } from "./picture.ts";

interface Bar {
  readonly name: string;
  readonly value: number;
}

interface Pair {
  readonly title: string;
  readonly unit: Unit;
  readonly culprit: Bar;
  readonly other: Bar;
}

type Words = readonly [title: string, culprit: string, other: string];

/** The first number and the second. */
const BESIDE: Readonly<Record<string, Words>> = {
  "re-reads": ["Bytes read, and different bytes among them", "read", "different"],
  overwrites: ["Bytes written, and different bytes among them", "written", "different"],
  "many-files": ["Files, and ranks that use them", "files", "ranks"],
  "collective-wait": ["Time of one rank in the file", "MPI-IO, slowest rank", "POSIX, busiest rank"],
  "late-rank": ["Time of ranks in collective calls", "the late rank", "mean of the others"],
};

/** The first number and all of its kind. */
const OF_ALL: Readonly<Record<string, Words>> = {
  "read-after-write": ["Bytes written, and read back", "read back", "written"],
  "random-reads": ["Reads that go back in the file", "go back", "all reads"],
  "random-writes": ["Writes that go back in the file", "go back", "all writes"],
  misaligned: ["Accesses that miss the alignment of the file", "misaligned", "all accesses"],
};

export const numbers: PictureMaker = (job, finding) => {
  const pair = pairOf(job, finding);
  if (pair === undefined || !(pair.culprit.value >= 0 && pair.other.value >= 0)) return undefined;
  const { title, unit, culprit, other } = pair;
  const amount = (value: number) =>
    unit === "bytes"
      ? formatBytes(value)
      : unit === "seconds"
        ? secondsText(value)
        : formatMany(value, unit === "calls" ? "call" : "file");
  const label = labelOf(pair, amount);
  const bars = culprit.value > other.value ? [culprit, other] : [other, culprit];
  return {
    title,
    caption: `${finding.evidence.files.length > 0 ? formatMany(finding.evidence.filesTotal, "file") : "All files"}, all ranks together.`,
    summary: bars.map(({ name, value }) => `${name}: ${amount(value)}`).join("; "),
    definition: (unit === "bytes"
      ? DEFINITIONS.bytes
      : unit === "seconds"
        ? DEFINITIONS.share
        : DEFINITIONS.counts
    ).id,
    chart: {
      direction: "horizontal",
      itemLabel: "what",
      items: bars,
      value: { label: unit === "seconds" ? "time" : "number", unit },
      marked: [bars.indexOf(culprit)],
      markLabel: label,
    },
  };
};

/** What the bars do not say themselves: how they compare. */
function labelOf({ unit, culprit, other }: Pair, amount: (value: number) => string): string {
  const { name, value } = culprit;
  if (value <= other.value) return `${name}: ${percentText(value / other.value)} of ${other.name}`;
  if (!(other.value > 0)) return `${name}: all ${amount(value)}`;
  const ratio = Number((value / other.value).toPrecision(3));
  return `${name}: ${ratio} ${unit === "count" ? `for each of the ${other.name}` : `times as ${unit === "seconds" ? "long" : "much"}`}`;
}

function pairOf(job: Job, { id, evidence }: Evident): Pair | undefined {
  const [first, second] = evidence.numbers as readonly (EvidenceNumber | undefined)[];
  if (first === undefined) return undefined;
  if (id === "single-aggregator") return oneForAll(first, second, evidence.ranks);
  if (id === "stdio-small") return ofAllTime(job, evidence.numbers);
  const words = BESIDE[id] ?? OF_ALL[id];
  const other = id in OF_ALL ? first.of : second?.value;
  if (words === undefined || other === undefined) return undefined;
  return {
    title: words[0],
    unit: first.unit === "files" ? "count" : first.unit,
    culprit: { name: words[1], value: first.value },
    other: { name: words[2], value: other },
  };
}

/** Ranks that call together, of which one moves the bytes. */
function oneForAll(
  { of }: EvidenceNumber,
  bytes: EvidenceNumber | undefined,
  ranks: readonly number[],
): Pair | undefined {
  if (bytes === undefined || of === undefined || ranks[0] === undefined) return undefined;
  return {
    title: "Bytes that a rank moves to or from storage",
    unit: "bytes",
    culprit: { name: `rank ${ranks[0]}`, value: bytes.value },
    other: { name: of === 2 ? "the other rank" : `${of - 1} others`, value: 0 },
  };
}

function ofAllTime({ io }: Job, all: readonly EvidenceNumber[]): Pair | undefined {
  const time = all.find(({ unit }) => unit === "seconds");
  if (time === undefined) return undefined;
  return {
    title: "Time in small stream calls, of all I/O",
    unit: "seconds",
    culprit: { name: "small stream calls", value: time.value },
    other: {
      name: "all I/O",
      value: (io.readSeconds || 0) + (io.writeSeconds || 0) + (io.metaSeconds || 0),
    },
  };
}
