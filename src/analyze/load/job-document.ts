/** One job as a document: a page with figures, and text for a terminal. */
import { shellWord } from "../../base/command-line.ts";
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import type { Block, Document, Fact, Section } from "../../model/index.ts";
import { type About, cell, type Column, table } from "./blocks.ts";
import type { JobAnswer, JobRun } from "./job.ts";
import { mountTable, mountText, isWorthTable } from "./job-mounts.ts";
import { figuresOf } from "./job-figures.ts";
import { classText, limitsText, outsideText, shareNote } from "./job-words.ts";
import { localText } from "./window.ts";

const BURSTS_MAX = 20;
const TARGETS_MAX = 20;

export function jobDocument(answer: JobAnswer, about: About): Document {
  const { runs, jobId } = answer;
  const many = runs.length > 1;
  const clusters = answer.clusters.length > 1 ? ` on clusters ${answer.clusters.join(" and ")}` : "";
  const last = runs.at(-1);
  return {
    title: jobId === "" ? "Load without a job id" : `Job ${jobId}`,
    facts: [
      ...(many
        ? [
            {
              label: "Runs",
              text: `${runs.length} under this id${clusters} (requeued, or the id was reused)`,
            },
          ]
        : []),
      ...(last === undefined ? [] : factsOf(last, about.zone)),
    ],
    verdict: runs
      .map((run) => verdictOf(run, many ? about.zone : undefined, clusters !== ""))
      .concat(unclearText(answer) ?? [])
      .join(" "),
    sections: [
      ...unclearSection(answer),
      ...runs.flatMap((run, at) => sectionsOf(run, answer, about.zone, many ? at + 1 : 0)),
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

/** Load with an ambiguous cluster; undefined if there is none. */
function unclearText({ jobId, clusters, unclear }: JobAnswer): string | undefined {
  if (unclear === null) return undefined;
  const moved = `${formatBytes(Number(unclear.bytesRead))} read, ${formatBytes(Number(unclear.bytesWritten))} written and ${formatCount(Number(unclear.metadataCalls))} metadata operations`;
  return `In ${formatMany(unclear.minutes, "minute")} the counters of job ${jobId} could belong to ${clusters.join(" or ")}: ${moved} are in none of the runs.`;
}

function unclearSection(answer: JobAnswer): Section[] {
  const text = unclearText(answer);
  if (text === undefined) return [];
  const how =
    "Name the cluster with plimsoll ingest --cluster NAME, or take it from job ids such as cab:123 with --job-id %C:%j.";
  return [
    { id: "unclear", title: "Ambiguous cluster", blocks: [{ kind: "notice", level: "warning", text, how }] },
  ];
}

function factsOf({ facts, memoryBytes }: JobRun, zone: string): Fact[] {
  const time = (unix: number | null) => (unix === null ? "not recorded" : localText(zone, unix));
  const known = (label: string, text: string | null): Fact[] => (text === null ? [] : [{ label, text }]);
  return [
    ...known("User", facts.user),
    ...known("Name", facts.name),
    ...known("Cluster", facts.cluster),
    ...known("Partition", facts.partition),
    ...known("Account", facts.account),
    ...known("State", facts.state),
    ...known("Nodes", facts.nodes === null ? null : formatCount(facts.nodes)),
    ...known("Memory", Number.isNaN(memoryBytes) ? null : `${formatBytes(memoryBytes)} on all nodes`),
    {
      label: "Time",
      text:
        facts.startUnix === null && facts.endUnix === null
          ? "start and end are not recorded"
          : `${time(facts.startUnix)} to ${time(facts.endUnix)} (${zone})`,
    },
  ];
}

function verdictOf(run: JobRun, zone: string | undefined, withCluster: boolean): string {
  const counted = run.servers ?? run.clients;
  const which =
    zone === undefined || run.facts.startUnix === null
      ? ""
      : `The run of ${localText(zone, run.facts.startUnix)}${withCluster && run.facts.cluster !== null ? ` on ${run.facts.cluster}` : ""}: `;
  if (counted === null)
    return run.mounts.length > 0
      ? `${which}it has no Lustre counters; its nodes used ${run.mounts.map(mountText).join(", ")}.`
      : `${which}it has no counters.`;
  const moved = `${formatBytes(Number(counted.bytesRead))} read, ${formatBytes(Number(counted.bytesWritten))} written, ${formatCount(Number(counted.metadataCalls))} metadata operations`;
  const busy = run.ioShare === null ? "" : `; I/O in ${formatShare(run.ioShare.share)} of its minutes`;
  const period =
    run.period === null || run.period.confidence < 0.95
      ? ""
      : `; it writes about every ${formatMany(run.period.minutes, "minute")}`;
  return `${which}${moved}${busy}${period}; ${classText(run)}.`;
}

function sectionsOf(run: JobRun, answer: JobAnswer, zone: string, place: number): Section[] {
  const id = (name: string) => (place === 0 ? name : `run-${place}-${name}`);
  const title = (name: string) => (place === 0 ? name : `Run ${place}: ${name}`);
  const sections: Section[] = [
    {
      id: id("numbers"),
      title: title("Key figures"),
      blocks: [tiles(run, answer), ...warnings(run, answer)],
    },
    {
      id: id("series"),
      title: title("Load by minute"),
      blocks: run.series.length === 0 ? [NO_MINUTES] : figuresOf(run, zone, id),
    },
  ];
  if (run.series.length > 0)
    sections.push(
      { id: id("bursts"), title: title("Write bursts"), blocks: burstBlocks(run, answer, zone) },
      { id: id("targets"), title: title("Targets"), blocks: [targetTable(run)] },
      { id: id("beside"), title: title("Other jobs on the same targets"), blocks: [besideBlock(run)] },
    );
  if (isWorthTable(run.mounts))
    sections.push({
      id: id("mounts"),
      title: title("File systems"),
      blocks: [mountTable(run.mounts)],
    });
  sections.push({
    id: id("darshan"),
    title: title("Darshan logs"),
    blocks: darshanBlocks(run, zone),
  });
  return sections;
}

export const NO_MINUTES = {
  kind: "notice",
  level: "missing",
  text: "The store has no server counters of this job.",
  how: "To record them, run plimsoll collect server on the servers and set Lustre's jobid_var to SLURM_JOB_ID.",
} as const satisfies Block;

function warnings(run: JobRun, { options }: JobAnswer): Block[] {
  const texts = [
    ...(run.spanMinutes === 1
      ? []
      : [
          `Minutes of this time range were pruned: the series has ${run.spanMinutes === 60 ? "hours" : "days"}, and bursts, period and neighbours are unknown.`,
        ]),
    ...(run.facts.warnings === null ? [] : [run.facts.warnings.replaceAll("\n", "; ")]),
    ...(run.minutesOutside === 0 ? [] : [outsideText(run, options.lateMinutes)]),
  ];
  return texts.map((text) => ({ kind: "notice", level: "warning", text }));
}

function tiles(run: JobRun, { options }: JobAnswer): Block {
  const { limits, ioShare, period } = run;
  const counted = run.servers ?? run.clients;
  const amount = (value: bigint | undefined) => (value === undefined ? Number.NaN : Number(value));
  const both = (side: "bytesRead" | "bytesWritten") =>
    run.servers !== null && run.clients !== null
      ? `clients counted ${formatBytes(Number(run.clients[side]))}`
      : run.servers === null
        ? "by clients"
        : "by servers";
  return {
    kind: "tiles",
    tiles: [
      {
        label: "Read",
        value: amount(counted?.bytesRead),
        unit: "bytes",
        note: both("bytesRead"),
        about: "Bytes read, from server counters if there are any.",
      },
      {
        label: "Written",
        value: amount(counted?.bytesWritten),
        unit: "bytes",
        note: both("bytesWritten"),
        about: "Bytes written, from server counters if there are any.",
      },
      {
        label: "Metadata operations",
        value: amount(counted?.metadataCalls),
        unit: "count",
        about: "All metadata operations.",
      },
      {
        label: "Bytes per write",
        value: run.bytesPerWrite,
        // Without writes there is no size.
        ...(counted?.writeCalls === 0n ? { text: "–" } : {}),
        unit: "bytes",
        note: `${run.efficiency === "not recorded" || run.efficiency === "too few jobs" ? "" : `${run.efficiency}; `}${limitsText(limits)}`,
        about: `B06: population ${options.population}, per call ${options.perCall}, threshold ${options.threshold}.`,
      },
      {
        label: "Minutes with I/O",
        value: ioShare?.share ?? Number.NaN,
        unit: "share",
        ...shareNote(run),
        about: "B12: share of the run's minutes with at least one byte read or written.",
      },
      {
        label: "Largest burst / memory",
        value: run.largestBurstOfMemory,
        unit: "share",
        ...(run.largestBurst === null
          ? {}
          : {
              note: `${formatBytes(Number(run.largestBurst.bytes))} in ${formatMany(run.largestBurst.minutes, "minute")}${Number.isNaN(run.memoryBytes) ? "; the memory of its nodes is not known" : ""}`,
            }),
        about: "B14: bytes of the largest write burst / memory of all nodes.",
      },
      ...(period === null
        ? []
        : [
            {
              label: "Write period",
              value: period.minutes * 60,
              unit: "seconds" as const,
              note: `strength ${period.strength.toFixed(2)}, confidence ${formatShare(period.confidence)}`,
              about:
                "B13: highest peak of the autocorrelation of log10(1 + bytes written) by minute; confidence against shuffled minutes.",
            },
          ]),
    ],
  };
}

function burstBlocks(run: JobRun, { options }: JobAnswer, zone: string): Block[] {
  if (run.bursts.length === 0)
    return [
      {
        kind: "text",
        text:
          run.minutesOutside > 0
            ? "The run has no minute with writes."
            : "The server counters show no writes of this job.",
      },
    ];
  const largest = run.bursts
    .slice()
    .sort((a, b) => (a.bytes < b.bytes ? 1 : a.bytes > b.bytes ? -1 : a.firstMinuteUnix - b.firstMinuteUnix));
  return [
    table(
      "bursts",
      `Write bursts, largest first (with gaps of up to ${options.maxGapMinutes} minutes).`,
      [
        ["start", `Start (${zone})`, "text", "First minute."],
        ["minutes", "Minutes", "count", "Length."],
        ["bytes", "Written", "bytes", "Bytes of the burst."],
        ["memory", "Share of memory", "share", "Bytes of the burst / memory of all nodes."],
      ],
      largest
        .slice(0, BURSTS_MAX)
        .map(({ firstMinuteUnix, minutes, bytes }) => [
          localText(zone, firstMinuteUnix * 60),
          minutes,
          bytes,
          cell(Number(bytes) / run.memoryBytes),
        ]),
      run.bursts.length,
    ),
    ...(run.period === null ? [{ kind: "text" as const, text: "Its writes have no period." }] : []),
  ];
}

export const targetTable = ({ targets }: JobRun): Block =>
  table(
    "targets",
    "Targets of the job by bytes.",
    [
      ["target", "Target", "text", "OST or MDT."],
      ["fileSystem", "File system", "text", "File system."],
      ["bytesRead", "Read", "bytes", "Bytes read."],
      ["bytesWritten", "Written", "bytes", "Bytes written."],
      ["metadataCalls", "Metadata", "count", "Metadata operations."],
      ["minutes", "Minutes", "count", "Minutes with counters."],
    ],
    targets
      .slice(0, TARGETS_MAX)
      .map((one) => [
        one.target,
        one.fileSystem,
        one.bytesRead,
        one.bytesWritten,
        one.metadataCalls,
        one.minutes,
      ]),
    targets.length,
  );

export function besideBlock({ facts, neighbours, neighboursTotal }: JobRun): Block {
  if (neighbours.length === 0)
    return { kind: "text", text: "No other job used these targets in the same minutes." };
  const withCluster = neighbours.some(({ cluster }) => cluster !== null && cluster !== facts.cluster);
  return table(
    "beside",
    "Other jobs on the same target in the same minute, by bytes.",
    [
      ["job", "Job", "text", "Job id."],
      ...(withCluster ? [["cluster", "Cluster", "text", "Cluster, if known."] as Column] : []),
      ["user", "User", "text", "User, from the scheduler."],
      ["name", "Name", "text", "Name, from the scheduler."],
      ["bytes", "Bytes", "bytes", "Bytes read and written on these targets in these minutes."],
      ["metadataCalls", "Metadata", "count", "Metadata operations on these targets in these minutes."],
      ["targets", "Targets", "count", "Targets used by both at the same time."],
      ["minutes", "Minutes", "count", "Minutes in which both used a target."],
    ],
    neighbours.map((one) => [
      one.jobId,
      ...(withCluster ? [one.cluster] : []),
      one.user,
      one.name,
      one.bytes,
      one.metadataCalls,
      one.targets,
      one.minutes,
    ]),
    neighboursTotal,
  );
}

function darshanBlocks(run: JobRun, zone: string): Block[] {
  if (run.darshan.length === 0)
    return [
      {
        kind: "notice",
        level: "missing",
        text: "The store has no Darshan log of this job.",
        how: "plimsoll ingest reads them into the same store.",
      },
    ];
  const part = (share: number) => (Number.isNaN(share) ? "-" : formatShare(share));
  return [
    {
      kind: "text",
      text: `Darshan recorded ${part(run.darshanReadShare)} of the bytes read and ${part(run.darshanWrittenShare)} of the bytes written that ${run.servers === null ? "clients" : "servers"} counted. Client caches, other file systems and programs without Darshan explain the difference.`,
    },
    table(
      "darshan",
      "Logs with this job id and a start within the run.",
      [
        ["application", "Application", "text", "Base name of the executable."],
        ["start", `Start (${zone})`, "text", "Start of the program."],
        ["ranks", "Ranks", "ranks", "Processes."],
        ["seconds", "Run time", "seconds", "Run time."],
        ["bytesRead", "Read", "bytes", "Bytes read, POSIX and STDIO."],
        ["bytesWritten", "Written", "bytes", "Bytes written, POSIX and STDIO."],
      ],
      run.darshan.map((one) => [
        one.application,
        one.startUnix === null ? null : localText(zone, one.startUnix),
        one.ranks,
        one.seconds,
        one.bytesRead,
        one.bytesWritten,
      ]),
    ),
    ...run.darshan
      .slice(0, 5)
      .flatMap(({ source }): Block[] =>
        source === null
          ? []
          : [{ kind: "code", language: "shell", code: `plimsoll report ${shellWord(source)}` }],
      ),
  ];
}
