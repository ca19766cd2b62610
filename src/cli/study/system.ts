/** `plimsoll study system`: the study of job I/O (Paul et al. 2020) on the jobs and minutes of a store. */
import { performance } from "node:perf_hooks";
import {
  runStudy,
  STEPS,
  type Study,
  studyDocument,
  SYSTEM_OPTIONS,
  type SystemOptions,
  systemOptions,
} from "../../analyze/study/system/index.ts";
import { UsageError } from "../../base/errors.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { ENGINE_OPTIONS, type EngineValues, storeOptions } from "../store/options.ts";
import { whereText, writeStudy } from "./study-output.ts";
import { studyJson, studyText } from "./system-text.ts";
import { version } from "../../../package.json";
import { optionSpecs } from "./option-specs.ts";

const SYSTEM_KIND = "plimsoll system study";
const STUDY_OPTIONS = optionSpecs(SYSTEM_OPTIONS);

export default defineCommand({
  name: "study system",
  description:
    "Repeats the analyses of Paul et al. (2020) on the jobs of a store and their per-minute server counters: job length and size, reads and writes, write efficiency, metadata load, dominant days, users and hours, share of run time in I/O, and period and size of write bursts. Shows every number next to the published one, gives a verdict on each observation for this system (confirmed, refuted or insufficient), and lists the contradictions of the paper. With --output it writes a folder: report.html, figures as SVG and CSV, tables as CSV, and study.json.",
  options: {
    store: { kind: "string", valueName: "DIR", help: "store to read" },
    output: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "write report, figures and tables to this folder; replaces an earlier study",
    },
    ...ENGINE_OPTIONS,
    memory: {
      ...ENGINE_OPTIONS.memory,
      help: "database memory limit; beyond it, spill to disk; plus about 150 bytes per job [1 GiB]",
    },
    ...STUDY_OPTIONS,
  },
  examples: [
    {
      command: "plimsoll study system --store site --zone America/Los_Angeles",
      does: "verdicts on the observations on the terminal",
    },
    {
      command: "plimsoll study system --store site --cluster quartz --node-memory 128GB -o study",
      does: "full report of one cluster, with figures and tables",
    },
    {
      command:
        "plimsoll study system --store site --population withWrites --user-per-call ratioOfSums --json",
      does: "limits over jobs with writes, real bytes per call of users, as JSON",
    },
  ],
  async run({ options: given }, context) {
    const options = given as unknown as Given;
    if (options.store === undefined) throw new UsageError("--store is missing: name a store folder");
    const chosen = chosenOptions(options);
    const study = await studyOf(options, chosen, context);
    if (chosen.cluster !== "" && !study.clusters.includes(chosen.cluster))
      context.note(
        `cluster ${chosen.cluster}: not in the store (it has ${study.clusters.map((name) => name || "(no name)").join(", ") || "none"})`,
      );
    for (const note of new Set(["B09", "B10", "B11"].flatMap((id) => study.items[id]?.notes ?? [])))
      context.note(note);
    const command = `plimsoll study system --store ${options.store} -o ${options.output ?? "study"}`;
    if (options.output !== undefined) {
      const document = studyDocument({ study, store: options.store, command, madeBy: `Plimsoll ${version}` });
      const items = Object.values(study.items);
      const figures = items.flatMap((item) => item.figures);
      const tables = items.flatMap((item) => item.tables);
      const json = studyJson(study);
      await writeStudy(options.output, { kind: SYSTEM_KIND, document, figures, tables, json }, context);
    }
    if (context.json) context.printJson(studyJson(study));
    else {
      context.out.write(studyText(study, context.columns));
      context.out.write(whereText(command, options.output));
    }
  },
});

const MEMORY_DEFAULT = 1024 ** 3;

interface Given extends EngineValues, Readonly<Record<string, unknown>> {
  readonly store?: string;
  readonly output?: string;
}

async function studyOf(given: Given, chosen: SystemOptions, context: Context): Promise<Study> {
  const { Store } = await import("../../store/index.ts");
  const store = await Store.open(
    given.store as string,
    storeOptions({ ...given, memory: given.memory ?? MEMORY_DEFAULT }),
  );
  const session = await store.query();
  try {
    const [row] = await session.rows(
      "select (select count(*) from jobs) as jobs, (select count(*) from minutes) as minutes, (select count(*) from targets) as targets",
    );
    // An empty store has a study too: of nothing. It says so and ends well.
    if (Number(row?.jobs ?? 0) + Number(row?.minutes ?? 0) + Number(row?.targets ?? 0) === 0)
      context.note(
        `${given.store}: the store has no jobs and no target counters; fill it with plimsoll ingest PATH --store ${given.store}`,
      );
    const bar = context.progress({ label: "study", total: STEPS, unit: "steps" });
    const study = await runStudy(session, chosen, {
      step: (done) => bar.update(done),
      now: () => performance.now(),
      details: given.output !== undefined,
    });
    bar.end();
    return study;
  } finally {
    session.close();
    await store.close();
  }
}

function chosenOptions(given: Given): SystemOptions {
  const chosen: Record<string, unknown> = {};
  for (const name of Object.keys(SYSTEM_OPTIONS)) {
    const value = given[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    chosen[name] = value;
  }
  return systemOptions(chosen as Partial<SystemOptions>);
}
