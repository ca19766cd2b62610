/** `plimsoll generate sitewide`: a synthetic site with the job I/O of a published study, and its true answers. */
import { formatCount } from "../../base/units.ts";
import { join } from "node:path";
import { commandLine, operand, shellWord } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import {
  type AnswerSheet,
  CALIBRATED_SCALE,
  CLUSTER_CHOICES,
  type ClusterChoice,
  DEFAULT_CONTENTION,
  DEFAULT_START,
  type LiveSite,
  Site,
  ZONE,
} from "../../generate/sitewide/index.ts";
import { defineCommand } from "../command.ts";
import { comparedTable, OUTPUT, promiseText, requiredOutput, SEED } from "./answers.ts";
import { outsideCount } from "../../generate/compared.ts";
import { joinSiteSlices, partText, writeSite, writeSiteSlice } from "../../generate/write/sitewide.ts";
import { runLive } from "../../generate/write/sitewide-live.ts";
import type { FileLimits } from "../../generate/write/sitewide-files.ts";
import { option } from "../option.ts";
import { parseSlice } from "../slice.ts";

/** More jobs than this are a case for --tables. */
const FILES_SCALE_MAX = 0.2;

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
    contention: option.number(
      "slowdown of the servers for a job while others demand the full rate of its OST (0: times do not depend on load)",
      { min: 0, max: 100, default: DEFAULT_CONTENTION },
    ),
    start: option.text("DATE", "first day with minutes, YYYY-MM-DD; the other periods shift with it", {
      default: DEFAULT_START,
    }),
    tables: option.flag("write a store (DIR/store) instead of samples"),
    slice: option.text(
      "I/N",
      "with --tables: only slice I of N, such as 3/16; --join N makes one site of them",
    ),
    join: option.whole("with --tables: make one site of the N slices in DIR, with its answers", { min: 1 }),
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
    const { seed, scale, weekend, start, contention } = options;
    const out = requiredOutput(options.output);
    if (options.live && (options.tables || options.damage))
      throw new UsageError("--live cannot be combined with --tables or --damage");
    if (!options.live && options.liveSeconds !== undefined)
      throw new UsageError("--live-seconds needs --live");
    const isPart = options.slice !== undefined || options.join !== undefined;
    if (isPart && (!options.tables || options.damage))
      throw new UsageError("--slice and --join need --tables, and cannot be combined with --damage");
    if (options.slice !== undefined && options.join !== undefined)
      throw new UsageError("--slice and --join exclude each other");
    if (options.live) {
      const { release, speed, liveSeconds } = options;
      const { folder, site } = await runLive({
        out,
        seed,
        release,
        speed,
        seconds: liveSeconds,
        signal: context.signal,
        began: (tree, live) => {
          if (context.json) return;
          context.out.write(`${hostLines(tree, live)}\nStop it with Ctrl-C.\n`);
          context.out.flush();
        },
      });
      const { jobs, servers, clients } = site;
      if (context.json) context.printJson({ tree: folder, jobs: jobs.length, servers, clients });
      else context.out.write(`${jobs.length} jobs ran; what each did is in ${join(folder, "jobs.ndjson")}\n`);
      return;
    }
    if (!(scale > 0)) throw new UsageError("--scale must be above 0");
    if (!options.tables && scale > FILES_SCALE_MAX)
      throw new UsageError(
        `--scale ${scale} is too much for text files (at most ${FILES_SCALE_MAX}); add --tables or choose a smaller --scale`,
      );
    const cluster = options.cluster as ClusterChoice;
    const site = new Site({ seed, scale, cluster, weekend, start, contention });
    if (options.slice !== undefined) {
      const slice = parseSlice("--slice", options.slice);
      const { part } = await writeSiteSlice(out, site, slice, context);
      if (context.json) context.printJson({ part });
      else context.out.write(`made ${part}\n`);
      return;
    }
    const limits: FileLimits = {
      sampleMinutes: options.sampleMinutes,
      clientReadings: options.clientReadings,
      release: options.release as FileLimits["release"],
    };
    const parts = { tables: options.tables, damage: options.damage, limits };
    const { folder, sheet, made } =
      options.join === undefined
        ? await writeSite(out, site, parts, context)
        : await joinSiteSlices(out, site, options.join, context);
    const answers = join(folder, "answers.json");
    const { comparison } = sheet;
    const outside = outsideCount(comparison);
    if (context.json)
      context.printJson({ answers, ...(options.tables && { store: join(folder, "store") }), made, outside });
    else context.out.write(summary(sheet, folder, answers, made));
  },
});

function hostLines(folder: string, site: LiveSite): string {
  const server = (host: string) =>
    `  ${commandLine(["plimsoll", "collect", "server", "--root", join(folder, host)])}`;
  const client = (host: string) =>
    `  ${commandLine(["plimsoll", "collect", "client", "--root", join(folder, host)])}`;
  return `A live site in ${folder}, a root for each host:\n${[...site.servers.map(server), ...site.clients.map(client)].join("\n")}`;
}

/** Without hours and days, questions over all of a large store take seconds. */
const compaction = (minuteRows: number, store: string): string =>
  minuteRows < MINUTES_LARGE
    ? ""
    : `\n  plimsoll store compact --grace 0 ${shellWord(store)}   (sums up hours and days, so that top, compare and week take about a second)`;
const MINUTES_LARGE = 10e6;

function summary(
  { comparison, options }: AnswerSheet,
  folder: string,
  answers: string,
  made: Readonly<Record<string, number>>,
): string {
  const columns = [{ label: "item" }, { label: "of", min: 6 }, { label: "key", min: 22 }];
  const promise = promiseText(comparison, options.scale, CALIBRATED_SCALE, "jobs");
  const parts = Object.entries(made).map(([name, count]) => `  ${formatCount(count)} ${partText(name)}`);
  const isStore = made.jobs !== undefined;
  const next = isStore
    ? `${commandLine(["plimsoll", "study", "system", "--store", join(folder, "store")])}${compaction(made.minutes ?? 0, join(folder, "store"))}`
    : commandLine(["plimsoll", "ingest", operand(folder), "--store", `${folder}-store`, "--zone", ZONE]);
  return `Made a synthetic site in ${folder}:
${parts.join("\n")}

${comparedTable(columns, comparison, (line) => [line.item, line.of, line.key])}

${promise} The answers are in ${answers}. Look further:
  ${next}
`;
}
