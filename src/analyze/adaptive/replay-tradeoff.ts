/** Two published numbers that do not hold together in the model: the sweep that shows it. */
import { formatMany } from "../../base/units.ts";
import type { Section } from "../../model/document.ts";
import type { ReplayData, TradeoffRow } from "../../model/replay.ts";

/** Published: 4 or more with two processes per target, about 4.8 with 32; with the tolerances of the checks. */
const FEW_LEAST = 4 / 1.05;
const MANY_MOST = 4.8 * 1.1;
/** Table I and the mean imbalance, within their tolerances. */
const MEAN = [17800 / 1.1, 17800 * 1.1] as const;
const IMBALANCE = [7.12 / 1.25, 7.12 * 1.25] as const;

const holdsFew = ({ gainFew }: TradeoffRow) => gainFew >= FEW_LEAST;
const holdsMany = ({ gainMany }: TradeoffRow) => gainMany <= MANY_MOST && gainMany >= 4.8 / 1.1;
const holdsTable = ({ hourlyMean, imbalance }: TradeoffRow) =>
  hourlyMean >= MEAN[0] && hourlyMean <= MEAN[1] && imbalance >= IMBALANCE[0] && imbalance <= IMBALANCE[1];

export function tradeoffText(rows: readonly TradeoffRow[]): string[] {
  const both = rows.filter((row) => holdsFew(row) && holdsMany(row));
  const [fitted] = rows as readonly [TradeoffRow];
  const share = ({ gainFew, gainMany }: TradeoffRow) => gainFew / gainMany;
  const needed = FEW_LEAST / MANY_MOST;
  const near = rows.filter((row) => share(row) >= needed);
  const keeping = rows.filter(holdsTable);
  const best = keeping.reduce((a, b) => (share(b) > share(a) ? b : a), keeping[0] ?? fitted);
  const imbalances = near.map(({ imbalance }) => imbalance);
  return [
    `Of ${formatMany(rows.length, "parameter set")}, ${rows.filter(holdsFew).length} give 4 times or more at 1024 processes (within 5 %), ${rows.filter(holdsMany).length} about 4.8 times at 16384 (within 10 %), ${both.length} both; ${both.filter(holdsTable).length} of these keep Table I's mean and the mean imbalance too.`,
    `The published pair needs a gain at 1024 of at least ${needed.toFixed(2)} of that at 16384; it is ${share(fitted).toFixed(2)} as fitted. Of the sets that keep Table I the largest share is ${share(best).toFixed(2)} (${best.changed}).${near.length === 0 ? "" : ` ${formatMany(near.length, "set reaches", "sets reach")} what is needed, with imbalances of ${Math.min(...imbalances).toFixed(1)} to ${Math.max(...imbalances).toFixed(1)} in place of 7.1: ${near.map(({ changed }) => changed).join("; ")}.`}`,
    "At 1024 each target takes two writes, and one that began on a slow target cannot move: the step lasts as long as the slowest first write. How slow that is against the fastest, the imbalance says, since there each target takes a single write. A client that is slow itself hides it, and takes the imbalance away with it.",
  ];
}

export function tradeoffSection({ tradeoff }: ReplayData): Section[] {
  if (tradeoff === undefined || tradeoff.length === 0) return [];
  return [
    {
      id: "tradeoff",
      title: "Two numbers that do not hold together",
      intro:
        "Extra large output (1 GB): more than 300 % as soon as there are a few more processes than targets, and about 4.8 times at 16384 (IV.A, Fig 5c). One parameter at a time is moved down and up, and two together; everything else stays. Simulated.",
      detail: true,
      blocks: [
        ...tradeoffText(tradeoff).map((text) => ({ kind: "text", text }) as const),
        {
          kind: "table",
          id: "tradeoff",
          caption: "Every parameter set of the sweep.",
          columns: [
            { key: "changed", label: "Changed", unit: "text", about: "The parameter and its value." },
            {
              key: "few",
              label: "Gain at 1024",
              unit: "ratio",
              about: "The lower of base and interference; published: 4 or more.",
            },
            { key: "many", label: "Gain at 16384", unit: "ratio", about: "Base; published: about 4.8." },
            {
              key: "mean",
              label: "Table I, GB/s",
              unit: "ratio",
              about: "Mean of hourly tests; published: 17.8.",
            },
            { key: "imbalance", label: "Imbalance", unit: "ratio", about: "Mean; published: 7.12." },
          ],
          rows: tradeoff.map(({ changed, gainFew, gainMany, hourlyMean, imbalance }) => [
            changed,
            gainFew,
            gainMany,
            hourlyMean / 1000,
            imbalance,
          ]),
        },
      ],
    },
  ];
}
