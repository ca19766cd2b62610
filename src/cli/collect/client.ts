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
import { fileReason } from "../../collect/files.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { collectorName } from "../../collect/collector-name.ts";
import { durationMs } from "../values.ts";
import { option } from "../option.ts";

const MODES = ["before", "after", "list", "clean"] as const;

export default defineCommand({
  name: "collect client",
  description:
    "With --before it saves the counters of all Lustre, NFS and IBM Storage Scale mounts and of LNet; with --after it reads them again and writes one document for this node of the job to DIR/readings, which plimsoll ingest reads. Job id and user come from Slurm's environment or from options. Errors go to stderr and DIR/collect.log and the exit code stays 0, since a failing prolog drains the node; --strict gives 1 instead. See docs/collect.md, and examples/ for the scripts.",
  examples: {
    "plimsoll collect client --before": "in the prolog",
    "plimsoll collect client --after": "in the epilog",
    "plimsoll collect client --list": "jobs that started on this node and have not ended",
    "plimsoll collect client --clean --stale-after 7d": "remove saved counters older than a week",
  },
  options: {
    before: option.flag("save counters before the job"),
    after: option.flag("read counters after the job and write the document"),
    list: option.flag("list jobs that have not ended, oldest first"),
    clean: option.flag("remove saved counters older than --stale-after"),
    dir: option.text("DIR", "local folder of this node, not on Lustre", {
      default: "/var/lib/plimsoll/client",
    }),
    root: option.text("DIR", "root of /proc and /sys", { default: "/" }),
    job: option.text("ID", "job id (SLURM_JOB_ID)"),
    node: option.text("TEXT", "node name (SLURMD_NODENAME, else the host name)"),
    nodes: option.text("N", "number of nodes of the job (SLURM_JOB_NUM_NODES)"),
    cluster: option.text("TEXT", "cluster (SLURM_CLUSTER_NAME)"),
    user: option.text("TEXT", "user name (SLURM_JOB_USER)"),
    uid: option.text("TEXT", "user id (SLURM_JOB_UID)"),
    "omit-user": option.flag("do not store user name and id"),
    "stale-after": option.text("TIME", "remove saved counters of jobs that did not end within this time", {
      default: "30d",
    }),
    strict: option.flag("exit code 1 on errors"),
  },
  async run({ options }, context) {
    const log = new CollectLog(options.dir === "" ? undefined : options.dir, (line) => context.note(line));
    try {
      const mode = MODES.filter((name) => options[name]);
      if (mode.length !== 1) throw new Error("give one of --before, --after, --list, --clean");
      if (options.dir === "") throw new Error("--dir is empty");
      const setting: ClientOptions = {
        root: options.root,
        dir: options.dir,
        collector: collectorName(version, options.root),
        staleMs: durationMs("--stale-after", options.staleAfter),
        nowMs: () => Date.now(),
        warn: (message) => log.fault(`collect client: ${subject}: ${message}`),
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
      log.fault(`collect client: ${fileReason(error)}`);
    }
    if (log.faults > 0 && options.strict) context.exitWith(1);
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
