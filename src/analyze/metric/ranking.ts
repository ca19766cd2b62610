/**
 * Ranks variants of the same work: which metric orders them as their times do. The paper's outlook (He, Sun and Yin,
 * section V): optimisations and their combinations judged by the performance of the whole I/O system.
 */
import { formatMany, formatSeconds } from "../../base/units.ts";
import { type Cell, type Document, table } from "../../model/index.ts";
import type { MetricValues } from "./metrics.ts";

/** One recorded variant. */
export interface Variant {
  readonly name: string;
  readonly values: Pick<
    MetricValues,
    "bps" | "iops" | "bandwidthBytesPerSecond" | "arptSeconds" | "bytes"
  > & {
    /** From the first start to the last end. */
    readonly spanSeconds: number;
  };
}

const MEASURES = [
  { key: "bps", label: "BPS", better: 1, of: ({ values }: Variant) => values.bps },
  { key: "iops", label: "IOPS", better: 1, of: ({ values }: Variant) => values.iops },
  {
    key: "bandwidth",
    label: "Bandwidth",
    better: 1,
    of: ({ values }: Variant) => values.bandwidthBytesPerSecond,
  },
  { key: "arpt", label: "ARPT", better: -1, of: ({ values }: Variant) => values.arptSeconds },
] as const;

type MeasureKey = (typeof MEASURES)[number]["key"];

interface Agreement {
  readonly key: MeasureKey;
  readonly label: string;
  /** Pairs of variants of different times, and how many of them it puts in the same, the other, or no order. */
  readonly pairs: number;
  readonly same: number;
  readonly other: number;
  /** Kendall's tau-a over these pairs; NaN without any. */
  readonly tau: number;
}

export interface Ranking {
  /** Fastest first. */
  readonly variants: readonly Variant[];
  readonly agreements: readonly Agreement[];
  /** Variants that request another number of bytes than the first: not the same work. */
  readonly otherWork: readonly string[];
}

export function rankingOf(given: readonly Variant[]): Ranking {
  const variants = [...given].sort((a, b) => a.values.spanSeconds - b.values.spanSeconds);
  const [first] = given;
  return {
    variants,
    agreements: MEASURES.map(({ key, label, better, of }) => {
      let [pairs, same, other] = [0, 0, 0];
      for (const [i, fast] of variants.entries())
        for (const slow of variants.slice(i + 1)) {
          if (fast.values.spanSeconds === slow.values.spanSeconds) continue;
          pairs++;
          const difference = better * ((of(fast) ?? Number.NaN) - (of(slow) ?? Number.NaN));
          if (difference > 0) same++;
          else if (difference < 0) other++;
        }
      return { key, label, pairs, same, other, tau: pairs === 0 ? Number.NaN : (same - other) / pairs };
    }),
    otherWork: given.filter(({ values }) => values.bytes !== first?.values.bytes).map(({ name }) => name),
  };
}

/** "BPS orders 3 of 3 pairs as their times do; …" */
export function rankingVerdict({ variants, agreements }: Ranking): string {
  const [bps, ...others] = agreements;
  if (bps === undefined || bps.pairs === 0) return "Nothing to rank: no two variants differ in time.";
  const told = others.map(({ label, same }) => `${label} ${same}`).join(", ");
  return `${variants[0]?.name} is the fastest (${formatSeconds(variants[0]?.values.spanSeconds ?? Number.NaN)}). BPS orders ${bps.same} of ${formatMany(bps.pairs, "pair")} as their times do; ${told}.`;
}

export function rankingDocument(ranking: Ranking, command: string, madeBy: string): Document {
  const { variants, agreements, otherWork } = ranking;
  return {
    title: "Variants ranked by time and by I/O metrics",
    facts: [{ label: "Variants", text: String(variants.length) }],
    verdict: rankingVerdict(ranking),
    sections: [
      {
        id: "ranking",
        title: "Ranking",
        intro:
          "Fastest first. A metric with a different order would pick the wrong variant. Time is from the first call to the last.",
        blocks: [
          ...(otherWork.length === 0
            ? []
            : [
                {
                  kind: "notice" as const,
                  level: "warning" as const,
                  text: `Not the same work: ${otherWork.join(", ")} requested another number of bytes than the first input.`,
                },
              ]),
          table(
            "variants",
            "Variants, fastest first.",
            [
              ["rank", "Rank", "index", "Rank by time."],
              ["variant", "Variant", "text", "Input."],
              ["seconds", "Time", "seconds", "From the first start to the last end."],
              ["bps", "BPS", "blocks/s", "Blocks requested / I/O time."],
              ["iops", "IOPS", "calls/s", "Calls / I/O time."],
              [
                "bandwidth",
                "Bandwidth",
                "bytes/s",
                "Bytes moved / I/O time; bytes requested if moved bytes are unknown.",
              ],
              ["arpt", "ARPT", "seconds", "Mean time of a call."],
            ],
            variants.map(({ name, values }, i): Cell[] => [
              i + 1,
              name,
              values.spanSeconds,
              values.bps,
              values.iops,
              values.bandwidthBytesPerSecond,
              values.arptSeconds,
            ]),
          ),
          table(
            "agreement",
            "How each metric orders the pairs of variants.",
            [
              ["metric", "Metric", "text", "Less is better for ARPT, more for the others."],
              ["same", "As time", "count", "Pairs in the same order as their times."],
              ["other", "Reversed", "count", "Pairs in the opposite order: the metric misleads."],
              ["pairs", "Pairs", "count", "Pairs of variants with different times."],
              ["tau", "Kendall's tau", "none", "1: the order of time; -1: the reverse."],
            ],
            agreements.map(({ label, same, other, pairs, tau }): Cell[] => [label, same, other, pairs, tau]),
          ),
        ],
      },
    ],
    command,
    madeBy,
  };
}
