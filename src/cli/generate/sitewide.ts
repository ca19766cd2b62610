/** `plimsoll generate sitewide`: a synthetic site with the job I/O of a published study, and its true answers. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import {
  type AnswerSheet,
  CALIBRATED_SCALE,
  CLUSTER_CHOICES,
  type ClusterChoice,
  type Comparison,
  DEFAULT_START,
  generateSite,
  SCENARIO,
  Site,
  SiteAnswers,
  SiteTables,
} from "../../generate/sitewide/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { replaceFolder } from "../output-folder.ts";
import { runLive } from "./sitewide-live.ts";
import { type FileLimits, writeFiles } from "./sitewide-files.ts";

/** First line of README.txt; only a folder with it is replaced. */
const MARK = "A synthetic HPC site made by plimsoll generate sitewide";
/** More jobs than this are a case for --tables. */
const FILES_SCALE_MAX = 0.2;

export default defineCommand({
  name: "generate sitewide",
  summary:
    "make a synthetic site with known job I/O: samples or a store, or a live tree, and the true answers",
  description:
    "Makes the jobs of two clusters, and what they did on the targets of a Lustre file system in each minute, shaped like a published study of job I/O, and answers.json with the true result of every analysis beside the published one. At --scale 1 there are 4.26 million jobs, and 16,795 more with 84 million rows of minutes; the published shares and means hold from --scale 0.01 on. By default it writes what a site would have: accounting of Slurm, readings of clients, and samples of servers. With --tables the rows go straight into a store, which is the way to large sizes. With --live it keeps a tree of files like those of Lustre's servers and clients, which change with time, until it is stopped. The same options give the same bytes; everything says that it is synthetic.",
  options: {
    out: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "folder to write; an earlier one of this command is replaced",
    },
    scale: {
      kind: "number",
      min: 0,
      max: 5,
      default: 0.01,
      help: "size: 4.26 million jobs, and 16,795 with minutes, times this",
    },
    seed: {
      kind: "number",
      integer: true,
      min: 0,
      max: 2 ** 32 - 1,
      default: 1,
      help: "seed of the random numbers",
    },
    cluster: {
      kind: "choice",
      choices: CLUSTER_CHOICES,
      default: "both",
      help: "which cluster's jobs; only quartz has minutes",
    },
    weekend: {
      kind: "number",
      min: 0,
      max: 100,
      default: 1,
      help: "jobs on a Saturday or Sunday as a share of those on other days; 1 is no trend",
    },
    start: {
      kind: "string",
      valueName: "DATE",
      default: DEFAULT_START,
      help: "first day with minutes, YYYY-MM-DD; the other periods move with it",
    },
    tables: { kind: "boolean", help: "write a store (DIR/store) instead of samples" },
    damage: {
      kind: "boolean",
      help: "also write DIR/damage: odd and broken samples, and what must become of each",
    },
    "sample-minutes": {
      kind: "number",
      integer: true,
      min: 1,
      max: 60 * 24 * 40,
      default: 360,
      help: "samples of servers for so many minutes, from the first job with minutes on",
    },
    "client-readings": {
      kind: "number",
      integer: true,
      min: 0,
      max: 10_000_000,
      default: 2000,
      help: "readings of clients for the first jobs, up to so many nodes",
    },
    release: {
      kind: "choice",
      choices: ["2.12", "2.15"],
      default: "2.15",
      help: "whose files samples and live trees look like",
    },
    live: { kind: "boolean", help: "keep DIR as a live tree of servers and clients until stopped" },
    speed: {
      kind: "number",
      min: 0.001,
      max: 100_000,
      default: 1,
      help: "with --live: seconds of the site for each second of the clock",
    },
    "live-seconds": {
      kind: "number",
      min: 0,
      max: 1e9,
      help: "with --live: stop by itself after so many seconds of the site",
    },
  },
  examples: [
    {
      command: "plimsoll generate sitewide --out site --scale 0.001",
      does: "4,256 jobs as accounting, client readings and server samples",
    },
    { command: "plimsoll generate sitewide --out site --scale 1 --tables", does: "a whole study as a store" },
    {
      command: "plimsoll generate sitewide --out tree --live --speed 60",
      does: "files of servers and clients, a minute each second",
    },
  ],
  async run({ options }, context) {
    const { out, seed, scale, weekend, start } = options;
    if (out === undefined || out === "") throw new UsageError("--out is missing: name a folder");
    checkDate(start);
    if (options.live && (options.tables || options.damage))
      throw new UsageError("--live makes neither tables nor damage; leave out --tables and --damage");
    if (!options.live && options.liveSeconds !== undefined)
      throw new UsageError("--live-seconds is for --live");
    if (options.live) {
      const { release, speed, liveSeconds } = options;
      await runLive({ out, seed, release, speed, seconds: liveSeconds, mark: MARK, isOurs }, context);
      return;
    }
    if (!(scale > 0)) throw new UsageError("--scale must be above 0");
    if (!options.tables && scale > FILES_SCALE_MAX)
      throw new UsageError(
        `--scale ${scale} is too much for text files (at most ${FILES_SCALE_MAX}); add --tables or choose a smaller --scale`,
      );
    const cluster = options.cluster as ClusterChoice;
    const site = new Site({ seed, scale, cluster, weekend, start });
    const limits: FileLimits = {
      sampleMinutes: options.sampleMinutes,
      clientReadings: options.clientReadings,
      release: options.release as FileLimits["release"],
    };
    let sheet: AnswerSheet | undefined;
    let made: Record<string, number> = {};
    const output = { path: out, what: "synthetic site", isOurs };
    const folder = await replaceFolder(output, context, async (work) => {
      const result = options.tables
        ? await writeTables(work, site, context)
        : await writeFiles(work, site, limits, progressOf(site, context), context);
      sheet = result.sheet;
      made = result.made;
      if (options.damage) {
        const { damageExpectations, writeDamage } = await import("./sitewide-damage.ts");
        made = { ...made, damaged: writeDamage(join(work, "damage")) };
        sheet = { ...result.sheet, damage: damageExpectations() };
      }
      writeFileSync(join(work, "answers.json"), `${JSON.stringify(sheet, exactNumbers, 2)}\n`);
      writeFileSync(join(work, "README.txt"), readme(result.sheet, made));
    });
    const answers = join(folder, "answers.json");
    const { comparison } = sheet as AnswerSheet;
    const outside = comparison.filter(({ within }) => within === false).length;
    if (context.json)
      context.printJson({ answers, ...(options.tables && { store: join(folder, "store") }), made, outside });
    else context.out.write(summary(sheet as AnswerSheet, folder, answers, made));
  },
});

function checkDate(text: string): void {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const [, year = 0, month = 0, day = 0] = match?.map(Number) ?? [];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDate = match !== null && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate || year < 2008 || year > 2199)
    throw new UsageError(`--start ${text} is no date from 2008 to 2199; write it as ${DEFAULT_START}`);
}

type Each = (jobs: number) => Promise<void>;

function progressOf(site: Site, context: Context): { each: Each; end: () => void } {
  const jobs = site.clusters.reduce((all, model) => all + model.jobs * site.options.scale, site.seriesJobs);
  const progress = context.progress({ label: "generate", total: Math.round(jobs), unit: "jobs" });
  return {
    each: async (count) => {
      progress.add(count);
      await context.breathe();
    },
    end: () => progress.end(),
  };
}

async function writeTables(work: string, site: Site, context: Context) {
  const { Store } = await import("../../store/index.ts");
  const store = await Store.create(join(work, "store"));
  try {
    const batch = store.beginBatch({ writer: "plimsoll generate sitewide" });
    try {
      const answers = new SiteAnswers(site);
      const tables = new SiteTables(site, batch);
      const progress = progressOf(site, context);
      await generateSite(site, [tables, answers], progress.each);
      await tables.finish();
      progress.end();
      await batch.commit();
      return { sheet: answers.finish(), made: { ...tables.rows } };
    } catch (error) {
      await batch.abort();
      throw error;
    }
  } finally {
    await store.close();
  }
}

/** A bigint as a number as long as that is exact; what is no number is left out. */
function exactNumbers(_: string, value: unknown): unknown {
  if (typeof value === "number" && Number.isNaN(value)) return null;
  if (typeof value !== "bigint") return value;
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}

function isOurs(folder: string): boolean {
  try {
    return readFileSync(join(folder, "README.txt"), "utf8").startsWith(MARK);
  } catch {
    return false;
  }
}

const WHAT: Readonly<Record<string, string>> = {
  jobs: "rows of jobs in store/",
  minutes: "rows of minutes in store/",
  targets: "rows of targets in store/",
  sacct: "jobs in slurm/sacct.txt (sacct --parsable2)",
  clients: "readings of clients in clients/",
  samples: "samples of servers in samples/",
  damaged: "odd and broken inputs in damage/; expected.json says what must become of each",
};

function readme({ seed, options }: AnswerSheet, made: Readonly<Record<string, number>>): string {
  const lines = Object.entries(made).map(
    ([name, count]) => `${String(count).padStart(12)} ${WHAT[name] ?? name}`,
  );
  return `${MARK}
Nothing here was recorded on a real system.

scenario ${SCENARIO}, seed ${seed}, scale ${options.scale}, cluster ${options.cluster}, weekend ${options.weekend}, start ${options.start}
${lines.join("\n")}
answers.json  the true result of every analysis, and the published one
`;
}

function summary(
  { comparison, options }: AnswerSheet,
  folder: string,
  answers: string,
  made: Readonly<Record<string, number>>,
): string {
  const lines = comparison.map((line) =>
    [
      line.item,
      line.of.padEnd(6),
      line.key.padEnd(22),
      number(line.published).padStart(10),
      number(line.expected).padStart(10),
      number(line.planted).padStart(10),
      `  ${accepted(line)}`,
    ]
      .join(" ")
      .trimEnd(),
  );
  const outside = comparison.filter(({ within }) => within === false).length;
  const promise =
    options.scale < CALIBRATED_SCALE
      ? `Below --scale ${CALIBRATED_SCALE} there are too few jobs for the published shares and means to hold.`
      : outside === 0
        ? "All planted values are within the tolerances."
        : `${outside} of the planted values ${outside === 1 ? "is" : "are"} outside the tolerances.`;
  const parts = Object.entries(made).map(
    ([name, count]) => `  ${count.toLocaleString("en")} ${WHAT[name] ?? name}`,
  );
  const isStore = made.jobs !== undefined;
  const next = isStore
    ? `plimsoll study system --store ${join(folder, "store")}`
    : `plimsoll ingest ${folder} --store ${folder}-store`;
  return `Made a synthetic site in ${folder}:
${parts.join("\n")}

item of     key                     published  at scale    planted  accepted
${lines.join("\n")}

${promise} The answers are in ${answers}. Look further:
  ${next}
`;
}

function accepted({ low, high, within }: Comparison): string {
  if (low === undefined || high === undefined) return "";
  return `${number(low)} to ${number(high)}${within === false ? "  outside" : ""}`;
}

function number(value: number): string {
  const size = Math.abs(value);
  if (Number.isNaN(value)) return "-";
  if (size >= 1e15) return `${(value / 1e15).toFixed(2)} P`;
  if (size >= 1e12) return `${(value / 1e12).toFixed(1)} T`;
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (size >= 10_000) return Math.round(value).toLocaleString("en");
  if (Number.isInteger(value)) return String(value);
  if (size < 0.01) return value.toFixed(5);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(3);
}
