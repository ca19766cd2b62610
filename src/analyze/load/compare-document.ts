/** Comparison of two time ranges as a document. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import type { Block, Cell, Document, Section } from "../../model/index.ts";
import { MEASURE_WORDS, type Measure, measureUnit } from "./amounts.ts";
import { type About, cell, type Column, table } from "./blocks.ts";
import { CHANGE_KINDS, type Change, type ChangeKind, type ComparedSide, type Comparison } from "./compare.ts";
import { windowText } from "./window.ts";

const TITLES: Readonly<Record<ChangeKind, string>> = {
  user: "Users",
  account: "Accounts",
  job: "Jobs",
  target: "Targets",
};
/** Below this coverage the amounts are marked as lower bounds. */
const SEEN_LEAST = 0.9;

const perHour = (value: number, measure: Measure): string =>
  `${measureUnit(measure) === "bytes" ? formatBytes(value) : formatCount(Math.round(value))}/h`;

export function comparisonDocument(comparison: Comparison, targets: string, about: About): Document {
  const { a, b, measure, kinds } = comparison;
  const kept = CHANGE_KINDS.filter((kind) => kinds[kind].rows.some(({ name }) => name !== null));
  const side = (label: string, one: ComparedSide) => ({
    label,
    text: `${windowText(one.window, about.zone)}: ${perHour(one.perHour, measure)}`,
    exact: String(one.total),
  });
  return {
    title: "What changed",
    facts: [
      side("A", a),
      side("B", b),
      { label: "Targets", text: targets },
      { label: "Compared by", text: `${MEASURE_WORDS[measure]} of jobs per hour` },
    ],
    verdict: verdictOf(comparison),
    sections: [...noticesOf(comparison), ...kept.map((kind) => sectionOf(kind, comparison))],
    command: about.command,
    madeBy: about.madeBy,
  };
}

const nameOf = (kind: ChangeKind, { name, user }: Change): string =>
  name === null
    ? `unknown ${kind}s`
    : kind === "job"
      ? `job ${name}${user === null ? "" : ` of ${user}`}`
      : `${kind === "target" ? "target" : kind} ${name}`;

function verdictOf({ a, b, measure, kinds }: Comparison): string {
  const words = MEASURE_WORDS[measure];
  const unseen = [...(a.seen === 0 ? ["A"] : []), ...(b.seen === 0 ? ["B"] : [])];
  if (unseen.length > 0)
    return `Not enough data: the store has no samples in time ${unseen.join(" and time ")}.`;
  if (a.total === 0n && b.total === 0n) return `No ${words} in either time.`;
  const rise = b.perHour >= a.perHour ? "rose" : "fell";
  const factor = b.perHour / a.perHour;
  const times = Number.isFinite(factor) && factor > 0 ? ` (${factor.toPrecision(2)} times)` : "";
  const [user, job] = [kinds.user.rows[0], kinds.job.rows[0]];
  const first = user === undefined || user.name === null ? undefined : (["user", user] as const);
  const [kind, most] = first ?? (["job", job] as const);
  const because =
    most === undefined || Number.isNaN(most.share)
      ? ""
      : ` ${formatShare(Math.abs(most.share))} of the change is from ${nameOf(kind, most)}, ${most.change >= 0 ? "up" : "down"} by ${perHour(Math.abs(most.change), measure)}.`;
  return `${words[0]?.toUpperCase()}${words.slice(1)} of jobs ${rise} from ${perHour(a.perHour, measure)} to ${perHour(b.perHour, measure)}${times}.${because}`;
}

function noticesOf({ a, b }: Comparison): Section[] {
  const blocks = [a, b].flatMap(({ seen }, at): Block[] =>
    seen < SEEN_LEAST
      ? [
          {
            kind: "notice",
            level: "warning",
            text: `The store has samples for ${formatShare(seen)} of the target minutes of time ${at === 0 ? "A" : "B"}; its amounts are lower bounds.`,
          },
        ]
      : [],
  );
  return blocks.length === 0 ? [] : [{ id: "seen", title: "Samples", blocks }];
}

function sectionOf(kind: ChangeKind, { kinds, measure }: Comparison): Section {
  const { rows, others } = kinds[kind];
  const unit = measureUnit(measure) === "bytes" ? "bytes" : "count";
  const columns: readonly Column[] = [
    [kind, TITLES[kind].slice(0, -1), "text", `${TITLES[kind].slice(0, -1)}.`],
    ...(kind === "job" ? [["user", "User", "text", "User, from the scheduler."] as Column] : []),
    ["a", "A per hour", unit, `${MEASURE_WORDS[measure]} per hour of time A.`],
    ["b", "B per hour", unit, `${MEASURE_WORDS[measure]} per hour of time B.`],
    ["change", "Change", unit, "B less A.", { signed: true }],
    ["share", "Share of change", "share", "Change / sum of all changes, up and down.", { signed: true }],
  ];
  const line = (name: string | null, user: Cell[], one: { a: number; b: number; share: number }): Cell[] => [
    name,
    ...user,
    Math.round(one.a),
    Math.round(one.b),
    Math.round(one.b - one.a),
    cell(one.share),
  ];
  const none = kind === "job" ? [""] : [];
  const cells = rows.map((one) => line(one.name ?? `unknown ${kind}`, kind === "job" ? [one.user] : [], one));
  if (others.count > 0) cells.push(line(`others (${formatMany(others.count, kind)})`, none, others));
  return {
    id: `${kind}s`,
    title: TITLES[kind],
    blocks: [
      table(
        `${kind}s`,
        `By ${MEASURE_WORDS[measure]} per hour${kind === "target" ? ", from target counters over all jobs" : ""}; largest changes first.`,
        columns,
        cells,
      ),
    ],
  };
}
