/** `plimsoll store prune`: old rows of a level out of a store. */
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount, formatMany } from "../../base/units.ts";
import { pruneStore, useStore } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";

const LEVELS = ["minutes", "hours", "days"] as const;
type Level = (typeof LEVELS)[number];

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS };
const EXPECTED = "expected such as minutes=90d,hours=3y (d, w or y)";

export default defineCommand({
  name: "store prune",
  description:
    "Removes server counters older than --keep: minutes, hourly roll-ups, daily roll-ups. A level without a limit is kept forever. Before minutes are removed, their hourly and daily roll-ups are stored; queries about that time use these, with times rounded to whole hours or days. Jobs, runs and files stay. Readers and writers may run at the same time; the files of replaced batches are removed after --grace minutes.",
  arguments: [STORE_ARGUMENT],
  options: {
    keep: option.list("LEVEL=TIME", "retention per level: minutes=90d,hours=3y,days=10y"),
    grace: option.number("keep replaced batches this long; 0 only if nobody else uses the store", {
      valueName: "MINUTES",
      default: 60,
      min: 0,
    }),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll store prune centre.store --keep minutes=90d,hours=3y":
      "keep minutes for three months, hours for three years, days forever",
  },
  async run({ arguments: [path = ""], options }, context) {
    const keepMs = keptOf(options.keep);
    const setting = { ...storeOptions(options), keepMs, graceMs: options.grace * 60_000 };
    const report = await useStore(path, storeOptions(options), (store) => pruneStore(store, setting));
    const { before, removed, batches, bytesBefore, bytesAfter, removedBatches, removedBytes } = report;
    const time = (minute: number) => new Date(minute * 60_000).toISOString();
    if (context.json) {
      const first = Object.entries(before).map(([level, minute]) => [level, time(minute)]);
      context.printJson({ ...report, before: Object.fromEntries(first) });
      return;
    }
    for (const [level, minute] of Object.entries(before))
      context.out.write(`${level} before ${time(minute).slice(0, 10)} (UTC) are removed\n`);
    const rows = Object.entries(removed).map(([table, n]) => `${formatCount(n)} rows of ${table}`);
    context.out.write(
      batches === 0
        ? "nothing is that old\n"
        : `${rows.join(", ") || "no rows"} from ${formatMany(batches, "batch", "batches")}: ${formatBytes(bytesBefore)} became ${formatBytes(bytesAfter)}\n`,
    );
    if (removedBatches > 0)
      context.out.write(
        `removed the files of ${formatMany(removedBatches, "replaced batch", "replaced batches")} (${formatBytes(removedBytes)})\n`,
      );
  },
});

/** `minutes=90d,hours=3y` in milliseconds. A coarser level is kept at least as long. */
function keptOf(words: readonly string[]): Partial<Record<Level, number>> {
  const kept: Partial<Record<Level, number>> = {};
  const parts = words.flatMap((word) => word.split(",")).filter((word) => word.trim() !== "");
  if (parts.length === 0) throw new UsageError(`--keep is missing: ${EXPECTED}`);
  for (const part of parts) {
    const [, name, count, unit] = /^\s*(\w+)=(\d{1,6})([dwy])\s*$/.exec(part) ?? [];
    const level = LEVELS.find((one) => one === name);
    const ms = Number(count) * (UNITS[unit ?? ""] ?? Number.NaN);
    if (level === undefined || !(ms > 0)) throw new UsageError(`--keep ${part}: ${EXPECTED}`);
    if (kept[level] !== undefined) throw new UsageError(`--keep names ${level} twice`);
    kept[level] = ms;
  }
  LEVELS.forEach((level, at) => {
    const ms = kept[level];
    const finer = LEVELS.slice(0, at).find((one) => ms !== undefined && (kept[one] ?? Infinity) > ms);
    if (finer !== undefined)
      throw new UsageError(
        `--keep: ${level} would go before ${finer}; keep ${level} at least as long as ${finer}`,
      );
  });
  return kept;
}
