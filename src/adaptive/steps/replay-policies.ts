/** Comparison of the policies: how much they gain, and where. */
import {
  type Block,
  type Cell,
  type Figure,
  type PolicyFacts,
  type PolicyStepFacts,
  type ReplayData,
  type Role,
  type Section,
  table,
} from "../../model/index.ts";
import { formatMany, formatShare } from "../../base/units.ts";
import { distinct, rangeOf } from "./replay-data.ts";

const FORGETFUL = "plimsoll, no history";

/** One setting, over all its seeds and steps. */
interface PolicyCell {
  readonly sizeMb: number;
  readonly writers: number;
  readonly interference: boolean;
  readonly seeds: number;
  readonly steps: number;
  /** Mean seconds of a step. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Time of `paper` over that of `plimsoll` on the same step: min, geometric mean, max. */
  readonly gain: { low: number; mean: number; high: number };
  readonly overStatic: number;
  /** Time without history over time with it, from the second step on; NaN if not run. */
  readonly history: number;
  /** Coefficient of variation of the writers' times, bytes written twice, messages; means over steps. */
  readonly spread: Readonly<Record<string, number>>;
  readonly unusedShare: number;
  readonly messages: Readonly<Record<string, number>>;
}

/** Smaller differences count as equal. */
const EVEN = 0.03;

export function policyCells(facts: readonly PolicyFacts[]): PolicyCell[] {
  const groups = new Map<string, PolicyFacts[]>();
  for (const one of facts) {
    const key = `${one.sizeMb} ${one.writers} ${one.interference}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map(cellOf);
}

function cellOf(group: readonly PolicyFacts[]): PolicyCell {
  const [any] = group as [PolicyFacts];
  const seeds = distinct(group.map(({ seed }) => seed));
  const policies = [...new Set(group.map(({ policy }) => policy))];
  const steps = any.results.length;
  const secondsOf = (policy: string, seed: number, step: number) =>
    group.find((one) => one.policy === policy && one.seed === seed)?.results[step]?.seconds ?? Number.NaN;
  const ratios = (over: string, from: number) =>
    seeds.flatMap((seed) =>
      Array.from(
        { length: steps - from },
        (_, i) => secondsOf(over, seed, from + i) / secondsOf("plimsoll", seed, from + i),
      ),
    );
  const means = (of: (one: PolicyStepFacts) => number) =>
    Object.fromEntries(
      policies.map((policy) => [
        policy,
        rangeOf(group.filter((one) => one.policy === policy).flatMap(({ results }) => results.map(of))).mean,
      ]),
    );
  const gains = ratios("paper", 0);
  return {
    sizeMb: any.sizeMb,
    writers: any.writers,
    interference: any.interference,
    seeds: seeds.length,
    steps,
    seconds: means(({ seconds }) => seconds),
    gain: { ...rangeOf(gains), mean: geometricMean(gains) },
    overStatic: geometricMean(ratios("static", 0)),
    history: policies.includes(FORGETFUL) ? geometricMean(ratios(FORGETFUL, 1)) : Number.NaN,
    spread: means(({ spread }) => spread),
    unusedShare: means(({ unusedShare }) => unusedShare).plimsoll ?? Number.NaN,
    messages: means(({ messages }) => messages),
  };
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(rangeOf(values.map((value) => Math.log(value))).mean);

const named = ({ sizeMb, writers, interference }: PolicyCell): string =>
  `${writers} writers of ${sizeMb} MB${interference ? " under interference" : ""}`;

const times = (ratio: number): string => `${ratio.toFixed(2)} times`;

export function policySection(data: ReplayData): Section[] {
  const cells = policyCells(data.policies);
  const [any] = cells;
  if (any === undefined) return [];
  return [
    {
      id: "policies",
      title: "The plimsoll policy against the paper's",
      intro: `The policies plimsoll, paper and static (each writer to a fixed target, a file per target) on 512 targets of Jaguar and on the same seeds: ${formatMany(any.seeds, "seed")}, ${formatMany(any.steps, "output step")} each. Targets keep their speed from step to step; the background load changes. Simulated.`,
      detail: true,
      blocks: [
        ...policyText(cells).map((text): Block => ({ kind: "text", text })),
        ...[false, true].map(
          (interference): Block => ({ kind: "figure", figure: gainFigure(data, cells, interference) }),
        ),
        policyTable(cells),
      ],
    },
  ];
}

/** Gains and losses as text. */
export function policyText(cells: readonly PolicyCell[]): string[] {
  const sorted = cells.toSorted((a, b) => b.gain.mean - a.gain.mean);
  const [best] = sorted as [PolicyCell];
  const gained = cells.filter(({ gain }) => gain.mean > 1 + EVEN);
  const lost = sorted.filter(({ gain }) => gain.mean < 1 - EVEN).reverse();
  const over = (keep: (cell: PolicyCell) => boolean) =>
    times(geometricMean(cells.filter(keep).map(({ gain }) => gain.mean)));
  const texts = [
    `Gain: over all settings plimsoll is ${over(() => true)} as fast as paper (geometric mean); it is faster in ${gained.length} of ${cells.length} settings, at best ${times(best.gain.mean)} (${named(best)}).`,
    `By setting: with at most one writer per target, where the paper's method cannot adapt at all, ${over(({ writers }) => writers <= 512)}; with more writers than targets ${over(({ writers }) => writers > 512)}. Under interference ${over(({ interference }) => interference)}, without ${over(({ interference }) => !interference)}.`,
    lost.length === 0
      ? `Losses: in no setting is paper faster by more than ${formatShare(EVEN)}.`
      : `Losses: paper is faster in ${formatMany(lost.length, "setting")}: ${lost.map((cell) => `${named(cell)} (plimsoll takes ${times(1 / cell.gain.mean)} as long)`).join("; ")}.`,
  ];
  const slower = cells.filter((cell) => cell.overStatic < 1 - EVEN);
  if (slower.length > 0)
    texts.push(
      `Static writing, all at once, is faster than plimsoll in ${formatMany(slower.length, "setting")}: ${slower.map((cell) => `${named(cell)} (${times(1 / cell.overStatic)})`).join("; ")}.`,
    );
  const remembered = cells.filter(({ history }) => !Number.isNaN(history));
  if (remembered.length > 0) {
    const worth = geometricMean(remembered.map(({ history }) => history));
    const hurt = remembered.filter(({ history }) => history < 1 - EVEN);
    texts.push(
      `History: from the second step on, plimsoll with the rates of the steps before is ${times(worth)} as fast as without (base conditions)${hurt.length === 0 ? "" : `; it is slower with them for ${hurt.map((cell) => `${named(cell)} (${times(1 / cell.history)} as long)`).join("; ")}`}.`,
    );
  }
  return texts;
}

const ROLES: readonly Role[] = ["read", "write", "metadata", "after"];

function gainFigure(data: ReplayData, cells: readonly PolicyCell[], interference: boolean): Figure {
  const of = cells.filter((cell) => cell.interference === interference);
  const writers = distinct(of.map((cell) => cell.writers));
  const sizes = distinct(of.map((cell) => cell.sizeMb));
  const { low, high } = rangeOf(of.map(({ gain }) => gain.mean));
  return {
    id: `policies-${interference ? "interference" : "base"}`,
    title: `plimsoll against paper, ${interference ? "under interference" : "base conditions"}`,
    caption: `Time of paper over time of plimsoll on the same step; above 1 plimsoll is faster. Geometric mean of ${formatMany((of[0]?.seeds ?? 0) * (of[0]?.steps ?? 0), "step")}; whiskers from min to max. Simulated.`,
    summary: `Gains lie between ${low.toFixed(2)} and ${high.toFixed(2)} times.`,
    definition: "S03@1",
    options: { seed: data.seed },
    simulated: true,
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: writers.map(String),
      categoryLabel: "writers",
      value: { label: "times as fast as paper", unit: "ratio" },
      series: sizes.map((sizeMb, i) => {
        const ranges = writers.map(
          (count) => of.find((cell) => cell.sizeMb === sizeMb && cell.writers === count)?.gain ?? rangeOf([]),
        );
        return {
          name: `${sizeMb} MB`,
          role: ROLES[i % ROLES.length] as Role,
          values: ranges.map(({ mean }) => mean),
          low: ranges.map((one) => one.low),
          high: ranges.map((one) => one.high),
        };
      }),
    },
  };
}

function policyTable(cells: readonly PolicyCell[]): Block {
  const at = (record: Readonly<Record<string, number>>, policy: string) => record[policy] ?? null;
  return table(
    "policies",
    "Every setting; means over seeds and steps.",
    [
      ["size", "MB each", "none", "Data of each writer."],
      ["writers", "Writers", "count", "Processes that write."],
      ["interference", "Interference", "text", "As in the paper: 24 processes."],
      ["static", "static", "seconds", "Write time."],
      ["paper", "paper", "seconds", "Write time."],
      ["plimsoll", "plimsoll", "seconds", "Write time."],
      ["gain", "Gain", "ratio", "paper over plimsoll, geometric mean."],
      ["gain-low", "least", "ratio", "Of all steps and seeds."],
      ["gain-high", "greatest", "ratio", "Of all steps and seeds."],
      ["over-static", "Over static", "ratio", "static over plimsoll."],
      ["history", "History", "ratio", "Without over with, from step 2 on."],
      ["spread-paper", "Spread, paper", "share", "Standard deviation of the writers' times over their mean."],
      ["spread-plimsoll", "Spread, plimsoll", "share", "The same."],
      ["unused", "Duplicated", "share", "Bytes that plimsoll wrote twice."],
      ["messages-paper", "Messages, paper", "count", "Per step."],
      ["messages-plimsoll", "Messages, plimsoll", "count", "Per step."],
    ],
    cells.map((cell): Cell[] => [
      cell.sizeMb,
      cell.writers,
      cell.interference ? "yes" : "no",
      at(cell.seconds, "static"),
      at(cell.seconds, "paper"),
      at(cell.seconds, "plimsoll"),
      cell.gain.mean,
      cell.gain.low,
      cell.gain.high,
      cell.overStatic,
      Number.isNaN(cell.history) ? null : cell.history,
      at(cell.spread, "paper"),
      at(cell.spread, "plimsoll"),
      cell.unusedShare,
      at(cell.messages, "paper"),
      at(cell.messages, "plimsoll"),
    ]),
  );
}
