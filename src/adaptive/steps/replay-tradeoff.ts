/** Published numbers that the model can hardly meet together: a sweep shows how close it gets. */
import { formatMany } from "../../base/units.ts";
import {
  type Block,
  type ReplayData,
  type Section,
  type ShortColumn as Column,
  type TradeoffRow,
  table,
} from "../../model/index.ts";

type Ends = readonly [number, number];

/** A published number with the tolerance of its check, a share of it. */
const around = (published: number, tolerance: number): Ends => [
  published * (1 - tolerance),
  published * (1 + tolerance),
];
const within = (value: number, [low, high]: Ends): boolean => value >= low && value <= high;
const spanOf = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;

/** Published: 4 or more with two processes per target, about 4.8 with 32; with the tolerances of the checks. */
const FEW_LEAST = 4 * 0.95;
const MANY = around(4.8, 0.1);
/** Table I and the mean imbalance, within their tolerances. */
const MEAN = around(17800, 0.1);
const IMBALANCE = around(7.12, 0.25);

const holdsFew = ({ gainFew }: TradeoffRow) => gainFew >= FEW_LEAST;
const holdsMany = ({ gainMany }: TradeoffRow) => within(gainMany, MANY);
const holdsTable = ({ hourlyMean, imbalance }: TradeoffRow) =>
  within(hourlyMean, MEAN) && within(imbalance, IMBALANCE);

/** P4: gains at two processes per target and at 32. */
export function tradeoffText(rows: readonly TradeoffRow[]): string[] {
  const both = rows.filter((row) => holdsFew(row) && holdsMany(row));
  const [fitted] = rows as readonly [TradeoffRow];
  const share = ({ gainFew, gainMany }: TradeoffRow) => gainFew / gainMany;
  const needed = FEW_LEAST / MANY[1];
  const near = rows.filter((row) => share(row) >= needed);
  const keeping = rows.filter(holdsTable);
  const best = keeping.reduce((a, b) => (share(b) > share(a) ? b : a), keeping[0] ?? fitted);
  const imbalances = near.map(({ imbalance }) => imbalance);
  const kept = both.filter(holdsTable);
  return [
    `Of ${formatMany(rows.length, "parameter set")}, ${rows.filter(holdsFew).length} reach 4 times or more at 1024 processes (within 5 %), ${rows.filter(holdsMany).length} about 4.8 times at 16384 (within 10 %), ${both.length} both; ${kept.length} of these keep Table I's mean and the mean imbalance too.${kept.length === 0 ? "" : ` For 2 MB at 8192 and 16384 processes, base and interference, where 1.10, 1.10, 1.03 and 1.35 are published (${kept.filter(holdsSmall).length} of them hold all four), they give ${kept.map(({ changed, small }) => `${[...small.base, ...small.interference].map((gain) => gain.toFixed(2)).join(", ")} (${changed})`).join("; ")}.`}`,
    `The published pair needs a gain at 1024 of at least ${needed.toFixed(2)} of that at 16384; it is ${share(fitted).toFixed(2)} as fitted. Of the sets that keep Table I the largest share is ${share(best).toFixed(2)} (${best.changed}).${near.length === 0 ? "" : ` ${formatMany(near.length, "set reaches", "sets reach")} that share, with imbalances of ${Math.min(...imbalances).toFixed(1)} to ${Math.max(...imbalances).toFixed(1)} instead of 7.1: ${near.map(({ changed }) => changed).join("; ")}.`}`,
    "At 1024 each target takes two writes, and one that started on a slow target cannot move: the step takes as long as the slowest first write. The imbalance shows how slow that is, since there each target takes a single write. A slow client hides this, but also removes the imbalance.",
  ];
}

/** P2: effect of interference on the gain at 8192 and 16384 processes. */
const SMALL_BASE = [1.1, 1.1] as const;
const SMALL_INTERFERENCE = [1.03, 1.35] as const;

/** How much more interference raises the gain at 16384 than at 8192. */
const turnOf = (base: readonly [number, number], interference: readonly [number, number]): number =>
  interference[1] / base[1] / (interference[0] / base[0]);

const holdsSmall = ({ small }: TradeoffRow): boolean =>
  [0, 1].every(
    (i) =>
      within(small.base[i as 0 | 1], around(SMALL_BASE[i as 0 | 1], 0.1)) &&
      within(small.interference[i as 0 | 1], around(SMALL_INTERFERENCE[i as 0 | 1], 0.1)),
  );

export function smallText(rows: readonly TradeoffRow[]): string[] {
  const published = turnOf(SMALL_BASE, SMALL_INTERFERENCE);
  const turns = rows.map(({ small }) => turnOf(small.base, small.interference));
  const first = rows.map(({ small }) => small.interference[0] / small.base[0]);
  // Limit by the tolerances at 8192: gain 10 % below the published one without interference, 10 % above with it.
  const most = around(SMALL_INTERFERENCE[0], 0.1)[1] / around(SMALL_BASE[0], 0.1)[0];
  const all = rows.filter(holdsSmall);
  return [
    `Small output (2 MB, IV.A, Fig 5a): published gains are 1.10 at 8192 and at 16384 processes, and with interference 1.03 and 1.35. The same 24 processes would help MPI-IO by 6 % at 8192 and cost it 23 % at 16384: a factor of ${published.toFixed(2)} between the two. Over ${formatMany(rows.length, "parameter set")} that factor is ${spanOf(turns)}. Interference raises the gain at 8192 by ${spanOf(first)}; published is 0.94, and tolerances of 10 % at both allow ${most.toFixed(2)}. ${formatMany(all.length, "set holds", "sets hold")} all four numbers${all.length === 0 ? "" : ` (${all.map(({ changed }) => changed).join("; ")})`}.`,
    "Interference hits 8 of 160 targets, and MPI-IO is as slow as its slowest target at both counts; nothing in the model or the paper makes it gain from background load at 8192 only.",
  ];
}

/** P3: the smallest and the largest gain for 128 MB. */
const LARGE_LEAST = 1.01;
const LARGE_MOST = 4.5;

export function largeText(rows: readonly TradeoffRow[]): string[] {
  const [fitted] = rows as readonly [TradeoffRow];
  const equal = rows.filter(({ large }) => large.gains[0] <= LARGE_LEAST * 1.1);
  const kept = equal.filter((row) => within(row.hourlyMean, MEAN));
  const both = kept.filter(({ large }) => large.gains[1] >= 0.9 * LARGE_MOST);
  const needed = MEAN.map((mean) => (mean / LARGE_LEAST / 1000).toFixed(1));
  return [
    `Large output (128 MB, IV.A, Fig 5b): published gains reach from 1.01 to more than 4.5. With one process per target the adaptive method moves nothing, so its test at 512 processes is that of Table I, 17.8 GB/s within 10 %: a gain of 1.01 there needs ${needed.join(" to ")} GB/s of MPI-IO, on 160 targets instead of 512. As fitted it has ${(fitted.large.mpiIo[0] / 1000).toFixed(1)} GB/s at 512 and ${(fitted.large.mpiIo[1] / 1000).toFixed(1)} at 16384 processes.`,
    `Of ${formatMany(rows.length, "parameter set")}, ${equal.length} have a gain of 1.01 at 512 (within 10 %), ${kept.length} of these keep Table I's mean, and ${both.length} of these a gain of 4.5 at 16384 (within 10 %); over all sets the gain at 512 is ${spanOf(rows.map(({ large }) => large.gains[0]))}. Yet each published point is a mean over at least five samples, taken at a different hour for each method, of a test that varies by 60 % (Table I): the check shows how often such a mean is that low.`,
  ];
}

const CHANGED: Column = ["changed", "Changed", "text", "The parameter and its value."];
const gain = (key: string, label: string, about: string): Column => [key, label, "ratio", about];
const speed = (key: string, label: string, about: string): Column => [key, label, "bytes/s", about];
const MEGABYTE = 1e6;

export function tradeoffSection({ tradeoff }: ReplayData): Section[] {
  if (tradeoff === undefined || tradeoff.length === 0) return [];
  const texts = (all: readonly string[]) => all.map((text): Block => ({ kind: "text", text }));
  return [
    {
      id: "tradeoff",
      title: "Numbers that are hard to meet together",
      intro:
        "Extra large output (1 GB): more than 300 % as soon as there are a few more processes than targets, and about 4.8 times at 16384 (IV.A, Fig 5c). One parameter at a time is moved down and up, two together, plus a set found by a search; all others stay. Small and large output follow, from the same sets. Simulated.",
      detail: true,
      blocks: [
        ...texts(tradeoffText(tradeoff)),
        table(
          "tradeoff",
          "Extra large output: every parameter set of the sweep.",
          [
            CHANGED,
            gain("few", "Gain at 1024", "The lower of base and interference; published: 4 or more."),
            gain("many", "Gain at 16384", "Base; published: about 4.8."),
            speed("mean", "Table I", "Mean of hourly tests; published: 17.8 GB/s."),
            gain("imbalance", "Imbalance", "Mean; published: 7.12."),
          ],
          tradeoff.map(({ changed, gainFew, gainMany, hourlyMean, imbalance }) => [
            changed,
            gainFew,
            gainMany,
            hourlyMean * MEGABYTE,
            imbalance,
          ]),
        ),
        ...texts(smallText(tradeoff)),
        table(
          "tradeoff-small",
          "Small output: every parameter set of the sweep.",
          [
            CHANGED,
            gain("base8192", "8192, base", "Published: 1.10."),
            gain("base16384", "16384, base", "Published: 1.10."),
            gain("interference8192", "8192, interference", "Published: 1.03."),
            gain("interference16384", "16384, interference", "Published: 1.35."),
            gain("turn", "Factor", "How much more interference raises the gain at 16384; published: 1.31."),
          ],
          tradeoff.map(({ changed, small: { base, interference } }) => [
            changed,
            ...base,
            ...interference,
            turnOf(base, interference),
          ]),
        ),
        ...texts(largeText(tradeoff)),
        table(
          "tradeoff-large",
          "Large output: every parameter set of the sweep.",
          [
            CHANGED,
            gain("few", "Gain at 512", "Base; the smallest published gain is 1.01."),
            gain("many", "Gain at 16384", "Base; the largest published gain is more than 4.5."),
            speed("mpiFew", "MPI-IO at 512", "Mean."),
            speed("mpiMany", "MPI-IO at 16384", "Mean."),
            speed("mean", "Table I", "Mean of hourly tests; published: 17.8 GB/s."),
          ],
          tradeoff.map(({ changed, hourlyMean, large: { gains, mpiIo } }) => [
            changed,
            ...gains,
            ...mpiIo.map((mean) => mean * MEGABYTE),
            hourlyMean * MEGABYTE,
          ]),
        ),
      ],
    },
  ];
}
