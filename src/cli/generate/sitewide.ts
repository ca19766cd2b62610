/** `plimsoll generate sitewide`: a synthetic site with the job I/O of a published study, and its true answers. */
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import {
  type AnswerSheet,
  CALIBRATED_SCALE,
  CLUSTER_CHOICES,
  type ClusterChoice,
  DEFAULT_START,
  generateSite,
  SCENARIO,
  Site,
  SiteAnswers,
  SiteTables,
} from "../../generate/sitewide/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import {
  comparedTable,
  fillStore,
  isMarked,
  OUTPUT,
  outsideCount,
  promiseText,
  requiredOutput,
  SEED,
  writeAnswers,
} from "./answers.ts";
import { runLive } from "./sitewide-live.ts";
import { type FileLimits, writeFiles } from "./sitewide-files.ts";
import { writeFile } from "../../node/write-file.ts";
import { option } from "../option.ts";

/** First line of README.txt; only a folder with it is replaced. */
const MARK = "A synthetic HPC site made by plimsoll generate sitewide";
/** More jobs than this are a case for --tables. */
const FILES_SCALE_MAX = 0.2;
const isOurs = (folder: string) => isMarked(folder, MARK);

export default defineCommand({
  name: "generate sitewide",
  description:
    "Generates the jobs of two clusters and their per-minute load on the targets of a Lustre file system, modelled on a published study of job I/O, and answers.json with the true result of every analysis next to the published one. --scale 1 gives 4.26 million jobs, and 16,795 more with 84 million rows of minutes; published shares and means hold from --scale 0.01. By default it writes the files of a real site: Slurm accounting, client readings and server samples. With --tables the rows go directly into a store, for large sizes. With --live it updates a tree like /proc and /sys of Lustre servers and clients until stopped. The same options give the same bytes; all output is labelled as synthetic.",
  options: {
    output: OUTPUT,
    scale: option.number("scale factor: 1 is 4.26 million jobs and 16,795 with minutes", {
      min: 0,
      max: 5,
      default: 0.01,
    }),
    seed: SEED,
    cluster: option.choice(CLUSTER_CHOICES, "clusters to generate; only quartz has minutes", {
      default: "both",
    }),
    weekend: option.number("jobs per weekend day relative to a weekday; 1 means no trend", {
      min: 0,
      max: 100,
      default: 1,
    }),
    start: option.text("DATE", "first day with minutes, YYYY-MM-DD; the other periods shift with it", {
      default: DEFAULT_START,
    }),
    tables: option.flag("write a store (DIR/store) instead of samples"),
    damage: option.flag("also write DIR/damage: odd and broken samples with the expected outcome of each"),
    "sample-minutes": option.whole("minutes of server samples, from the first job with minutes", {
      min: 1,
      max: 60 * 24 * 40,
      default: 360,
    }),
    "client-readings": option.whole("max nodes with client readings, from the first jobs", {
      min: 0,
      max: 10_000_000,
      default: 2000,
    }),
    release: option.choice(["2.12", "2.15"], "Lustre release of samples and live trees", { default: "2.15" }),
    live: option.flag("update DIR as a live tree of servers and clients until stopped"),
    speed: option.number("with --live: simulated seconds per second; time stamps follow the clock", {
      min: 0.001,
      max: 100_000,
      default: 1,
    }),
    "live-seconds": option.number("with --live: stop after this many simulated seconds", {
      min: 0,
      max: 1e9,
    }),
  },
  examples: {
    "plimsoll generate sitewide --output site --scale 0.001":
      "4,256 jobs as accounting, client readings and server samples",
    "plimsoll generate sitewide --output site --scale 1 --tables": "full size, as a store",
    "plimsoll generate sitewide --output tree --live --speed 60": "live tree with jobs at 60 times the speed",
  },
  async run({ options }, context) {
    const { seed, scale, weekend, start } = options;
    const out = requiredOutput(options.output);
    checkDate(start);
    if (options.live && (options.tables || options.damage))
      throw new UsageError("--live cannot be combined with --tables or --damage");
    if (!options.live && options.liveSeconds !== undefined)
      throw new UsageError("--live-seconds needs --live");
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
      writeAnswers(join(work, "answers.json"), sheet);
      writeFile(join(work, "README.txt"), readme(result.sheet, made));
    });
    const answers = join(folder, "answers.json");
    const { comparison } = sheet as AnswerSheet;
    const outside = outsideCount(comparison);
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
      await context.yieldToEvents();
    },
    end: () => progress.end(),
  };
}

function writeTables(work: string, site: Site, context: Context) {
  return fillStore(join(work, "store"), "plimsoll generate sitewide", async (batch) => {
    const answers = new SiteAnswers(site);
    const tables = new SiteTables(site, batch);
    const progress = progressOf(site, context);
    await generateSite(site, [tables, answers], progress.each);
    await tables.finish();
    progress.end();
    return { sheet: answers.finish(), made: { ...tables.rows } };
  });
}

const WHAT: Readonly<Record<string, string>> = {
  jobs: "rows of jobs in store/",
  minutes: "rows of minutes in store/",
  targets: "rows of targets in store/",
  sacct: "jobs in slurm/sacct.txt (sacct --parsable2)",
  clients: "readings of clients in clients/",
  samples: "samples of servers in samples/",
  damaged: "odd and broken inputs in damage/, with the expected outcome of each in expected.json",
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
  const columns = [{ label: "item" }, { label: "of", min: 6 }, { label: "key", min: 22 }];
  const promise = promiseText(comparison, options.scale, CALIBRATED_SCALE, "jobs");
  const parts = Object.entries(made).map(
    ([name, count]) => `  ${count.toLocaleString("en")} ${WHAT[name] ?? name}`,
  );
  const isStore = made.jobs !== undefined;
  const next = isStore
    ? `plimsoll study system --store ${join(folder, "store")}`
    : `plimsoll ingest ${folder} --store ${folder}-store`;
  return `Made a synthetic site in ${folder}:
${parts.join("\n")}

${comparedTable(columns, comparison, (line) => [line.item, line.of, line.key])}

${promise} The answers are in ${answers}. Look further:
  ${next}
`;
}
