/** Two numbers of the evidence side by side: what is too much, or too little, and what it is to be compared with. */
import { formatBytes, formatMany } from "../../../base/units.ts";
import type { EvidenceNumber, Unit } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import { percentText } from "../headline-words.ts";
import type { Job } from "../job.ts";
import type { PictureOf, Words } from "../rule.ts";
import { secondsText } from "../rules/index.ts";
import type { Drawn, Evident } from "./picture.ts";

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

export function numbers(job: Job, finding: Evident, picture: PictureOf<"numbers">): Drawn | undefined {
  const pair = pairOf(job, finding, picture);
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
}

/** What the bars do not say themselves: how they compare. */
function labelOf({ unit, culprit, other }: Pair, amount: (value: number) => string): string {
  const { name, value } = culprit;
  if (value <= other.value) return `${name}: ${percentText(value / other.value)} of ${other.name}`;
  if (!(other.value > 0)) return `${name}: all ${amount(value)}`;
  const ratio = Number((value / other.value).toPrecision(3));
  return `${name}: ${ratio} ${unit === "count" ? `for each of the ${other.name}` : `times as ${unit === "seconds" ? "long" : "much"}`}`;
}

function pairOf({ io }: Job, { evidence }: Evident, picture: PictureOf<"numbers">): Pair | undefined {
  const [first, second] = evidence.numbers as readonly (EvidenceNumber | undefined)[];
  switch (picture.beside) {
    case "whole":
      return pair(picture.words, first, first?.of);
    case "I/O time":
      return pair(
        picture.words,
        evidence.numbers.find(({ unit }) => unit === "seconds"),
        (io.readSeconds || 0) + (io.writeSeconds || 0) + (io.metaSeconds || 0),
      );
    case "other ranks": {
      const others = (first?.of ?? 0) - 1;
      const other = others === 1 ? "the other rank" : `${others} others`;
      return pair([picture.title, `rank ${evidence.ranks[0]}`, other], second, 0);
    }
    default:
      return pair(picture.words, first, second?.value);
  }
}

const pair = (
  [title, culprit, other]: Words,
  number: EvidenceNumber | undefined,
  beside: number | undefined,
): Pair | undefined =>
  number && {
    title,
    unit: number.unit === "files" ? "count" : number.unit,
    culprit: { name: culprit, value: number.value },
    other: { name: other, value: beside ?? Number.NaN },
  };
