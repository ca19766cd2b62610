import { hostname } from "node:os";
import { version } from "../../../package.json";
import {
  type ClientOptions,
  cleanWaiting,
  collectAfter,
  collectBefore,
  listWaiting,
} from "../../collect/client/collect.ts";
import { jobFacts } from "../../collect/client/facts.ts";
import { CollectLog } from "../../collect/client/log.ts";
import type { Waiting } from "../../collect/client/waiting.ts";
import { reasonOf } from "../../collect/files.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { durationMs } from "./durations.ts";

const MODES = ["before", "after", "list", "clean"] as const;

export default defineCommand({
  name: "collect client",
  description:
    "With --before it puts the counters of all Lustre mounts and of LNet aside; with --after it reads them again and leaves one document for this node of the job in DIR/readings, which plimsoll ingest takes. Who the job is comes from Slurm's environment or from options. Whatever goes wrong is written to stderr and DIR/collect.log and the exit code is 0, for a prolog that fails drains the node; --strict gives 1 instead. examples/ has the scripts, docs/collect.md the rest.",
  examples: [
    { command: "plimsoll collect client --before", does: "in the prolog" },
    { command: "plimsoll collect client --after", does: "in the epilog" },
    { command: "plimsoll collect client --list", does: "jobs that have begun here and not ended" },
    { command: "plimsoll collect client --clean --stale-after 7d", does: "forget those of more than a week" },
  ],
  options: {
    before: { kind: "boolean", help: "the job is about to begin" },
    after: { kind: "boolean", help: "the job has ended" },
    list: { kind: "boolean", help: "print which jobs wait for their end, oldest first" },
    clean: { kind: "boolean", help: "remove those that are older than --stale-after" },
    dir: {
      kind: "string",
      help: "folder of this node; local, not on Lustre",
      default: "/var/lib/plimsoll/client",
      valueName: "DIR",
    },
    root: { kind: "string", help: "where /proc and /sys are", default: "/", valueName: "DIR" },
    job: { kind: "string", help: "job id (SLURM_JOB_ID)", valueName: "ID" },
    node: { kind: "string", help: "name of this node (SLURMD_NODENAME, else the host name)" },
    nodes: { kind: "string", help: "nodes of the job (SLURM_JOB_NUM_NODES)", valueName: "N" },
    cluster: { kind: "string", help: "cluster (SLURM_CLUSTER_NAME)" },
    user: { kind: "string", help: "user's name (SLURM_JOB_USER)" },
    uid: { kind: "string", help: "user's number (SLURM_JOB_UID)" },
    "omit-user": { kind: "boolean", help: "store neither name nor number of the user" },
    "stale-after": {
      kind: "string",
      help: "readings before jobs that did not end in this time are removed",
      default: "30d",
      valueName: "TIME",
    },
    strict: { kind: "boolean", help: "exit with 1 when something went wrong" },
  },
  async run({ options }, context) {
    const log = new CollectLog(options.dir === "" ? undefined : options.dir, (line) => context.note(line));
    let faults = 0;
    try {
      const mode = MODES.filter((name) => options[name]);
      if (mode.length !== 1) throw new Error("give one of --before, --after, --list, --clean");
      if (options.dir === "") throw new Error("--dir is empty");
      const setting: ClientOptions = {
        root: options.root,
        dir: options.dir,
        collector: `plimsoll ${version}`,
        staleMs: durationMs("--stale-after", options.staleAfter),
        nowMs: () => Date.now(),
        warn: (message) => {
          faults++;
          log.write(`collect client: ${subject}: ${message}`);
        },
      };
      if (mode[0] === "list") return printWaiting(listWaiting(setting), "waiting", context);
      if (mode[0] === "clean") return printWaiting(cleanWaiting(setting), "removed", context);
      const facts = jobFacts(options, process.env, hostname());
      const subject = `job ${facts.jobId} ${mode[0]}`;
      if (mode[0] === "before") collectBefore(facts, setting);
      else {
        const path = collectAfter(facts, setting);
        if (context.json) context.printJson({ reading: path });
        for (const { name, ageMs } of cleanWaiting(setting))
          log.write(`collect client: removed ${name}: no end in ${days(ageMs)} days`);
      }
    } catch (error) {
      faults++;
      log.write(`collect client: ${reasonOf(error)}`);
    }
    if (faults > 0 && options.strict) context.exitWith(1);
  },
});

function printWaiting(found: readonly Waiting[], what: string, context: Context): void {
  if (context.json) {
    context.printJson({ [what]: found.map(({ path, ageMs }) => ({ path, ageSeconds: ageMs / 1000 })) });
    return;
  }
  for (const { path, ageMs } of found) context.out.write(`${days(ageMs).padStart(8)} days  ${path}\n`);
}

const days = (ms: number) => (ms / 86_400_000).toFixed(2);
