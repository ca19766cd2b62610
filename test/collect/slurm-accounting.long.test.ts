/** Real `sacct` of a real slurmdbd: the store's jobs equal what was run, whatever form the list was printed in. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, plimsoll, prepare, program, root } from "./kit.ts";
import { storedJobs } from "../../src/model/index.ts";
import { Store } from "../../src/store/index.ts";
import { CLUSTER_START_MS, type SlurmCluster, slurmMissing, startSlurmCluster } from "../slurm-cluster.ts";
import { waitUntil } from "../slurm/processes.ts";

const SLOW_MS = 120_000;
const ZONE = "America/New_York";
/** What docs/formats/slurm.md tells to ask for. */
const FIELDS =
  "Cluster,JobIDRaw,JobID,User,UID,Account,Partition,State,ExitCode,Submit,Start,End,ElapsedRaw,NNodes,NCPUS,AllocTRES,NodeList,JobName";
const EPOCHS = { SLURM_TIME_FORMAT: "%s" };
const UIDS = { daemon: 1n, games: 5n } as const;
type User = keyof typeof UIDS;

/** A job as it was submitted, and how it must have ended. */
interface Planned {
  readonly user: User;
  readonly name: string;
  readonly nodes: bigint;
  readonly cpus: bigint;
  readonly state: string;
  /** Never had a node: cancelled while it waited. */
  readonly unstarted?: true;
}

let cluster: SlurmCluster;
const planned = new Map<string, Planned>();
/** Rows of `jobs` as they must be, with the times that slurmctld itself remembers. */
let truth: Record<string, object>;

beforeAll(async () => {
  expect(slurmMissing({ accounting: true })).toBeUndefined();
  prepare();
  cluster = await startSlurmCluster({
    nodes: 2,
    accounting: true,
    settings: { SchedulerParameters: "bf_interval=1,sched_interval=1,batch_sched_delay=0" },
  });
  await succeed("sacctmgr", ["-i", "add", "account", "phys", "Description=x", "Organization=x"]);
  await succeed("sacctmgr", ["-i", "add", "user", "daemon,games", "account=phys"]);
  await runJobs();
  truth = await truthOf();
  await settled();
}, CLUSTER_START_MS);
afterAll(() => cluster?.stop(), SLOW_MS);

async function succeed(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { code, stdout, stderr } = await cluster.run(program, args, { env });
  expect(code, `${program} ${args.join(" ")}: ${stderr}\n${cluster.logs()}`).toBe(0);
  expect(stderr, `${program} ${args.join(" ")}`).toBe("");
  return stdout;
}

async function submit(args: readonly string[], plan: Planned): Promise<number> {
  const usual = [`--uid=${plan.user}`, "--chdir=/tmp", "-o", "/dev/null", "--mem=1", "-J", plan.name];
  const id = await cluster.submit([...usual, ...args]);
  planned.set(String(id), plan);
  return id;
}

async function runJobs(): Promise<void> {
  const one = { nodes: 1n, cpus: 1n };
  const long = await submit(["-n1", "--wrap", "sleep 300"], {
    ...one,
    ...{ user: "games", name: "long", state: "CANCELLED" },
  });
  // Both nodes for itself alone, while one is taken: it waits.
  const waits = await submit(["-N2", "--exclusive", "--wrap", "true"], {
    ...{ user: "daemon", name: "waits", nodes: 0n, cpus: 0n, state: "CANCELLED", unstarted: true },
  });
  // slurmctld tells slurmdbd when it has time to, so a list may be behind.
  await listed(async () => {
    const text = await list("early.txt", ["-X", "-D", "-P", "--noconvert", "-o", FIELDS], EPOCHS);
    return text.includes("|RUNNING|") && text.includes("|PENDING|");
  });
  await submit(["-N2", "--wrap", "srun --mpi=none true; srun --mpi=none -N1 -n1 true"], {
    ...{ user: "daemon", name: "two | bars, a=b", nodes: 2n, cpus: 2n, state: "COMPLETED" },
  });
  await submit(["-n1", "--wrap", "exit 3"], { ...one, user: "games", name: "Grün", state: "FAILED" });
  await submit(["-n1", "--wrap", "kill -9 $$"], { ...one, user: "games", name: "killed", state: "FAILED" });
  const array = await submit(["-n1", "--array=4-6", "--wrap", "true"], {
    ...{ user: "daemon", name: "tasks", state: "COMPLETED" },
    ...one,
  });
  const script = join(cluster.folder, "parts.sh");
  writeFileSync(script, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const parts = { ...one, user: "daemon", name: "parts", state: "COMPLETED" } as const;
  const first = await submit(["-n1", ":", "-n1", "-J", "parts", script], parts);
  planned.set(String(first + 1), parts);

  for (const id of planned.keys())
    if (Number(id) !== long && Number(id) !== waits) await cluster.waitForJob(Number(id));
  // Tasks got numbers of their own; only the last has that of the array.
  const tasks = (await succeed("scontrol", ["show", "--oneliner", "job", String(array)])).matchAll(
    /JobId=(\d+) /g,
  );
  const plan = planned.get(String(array)) as Planned;
  for (const [, id] of tasks) planned.set(id as string, plan);
  await succeed("scancel", [String(waits)]);
  await succeed("scancel", [String(long)]);
  await cluster.waitForJob(long);
}

async function truthOf(): Promise<Record<string, object>> {
  const rows: Record<string, object> = {};
  for (const [id, { user, unstarted, ...plan }] of planned) {
    const record = await succeed("scontrol", ["show", "--oneliner", "job", id], EPOCHS);
    const line = record.split("\n").find((text) => text.startsWith(`JobId=${id} `)) as string;
    const time = (name: string) =>
      BigInt(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? -1) * 1_000_000_000n;
    rows[id] = {
      ...plan,
      user_name: user,
      user_id: UIDS[user],
      source: "scheduler",
      cluster: "tiny",
      account: "phys",
      partition: "batch",
      submit_unix_ns: time("SubmitTime"),
      start_unix_ns: unstarted ? null : time("StartTime"),
      end_unix_ns: time("EndTime"),
    };
  }
  return rows;
}

/** All jobs are over for slurmdbd too. */
const settled = () =>
  listed(async () => {
    const rows = (await succeed("sacct", ["-a", "-n", "-P", "-X", "-o", "JobIDRaw,End,State"])).split("\n");
    const over = rows.filter((row) => /^\d/.test(row) && !/Unknown|PENDING|RUNNING/.test(row));
    return over.length === planned.size;
  });

const listed = (done: () => Promise<boolean>) =>
  waitUntil(30_000, () => `sacct does not know the jobs\n${cluster.logs()}`, done);

async function list(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const text = await succeed("sacct", ["-a", ...args], env);
  writeFileSync(join(cluster.folder, name), text);
  return text;
}

function ingest(store: string, ...words: string[]): string {
  const { code, err } = plimsoll(cluster.folder, "ingest", ...words, "--store", store, "--threads", "1");
  expect(code, err).toBe(0);
  return err;
}

const COLUMNS =
  "user_name, user_id, source, cluster, account, partition, name, state, nodes, cpus, submit_unix_ns, start_unix_ns, end_unix_ns";

async function jobsOf(store: string, table = "jobs"): Promise<Record<string, object>> {
  const [rows = []] = await ask(join(cluster.folder, store), `select job_id, ${COLUMNS} from ${table}`);
  const entries = rows.map(({ job_id, ...rest }) => [String(job_id), rest] as const);
  expect(new Set(entries.map(([id]) => id)).size).toBe(rows.length);
  return Object.fromEntries(entries);
}

describe("sacct of a real slurmdbd", () => {
  it("was asked about every kind of job", () => {
    expect(planned.size).toBe(10);
  });

  it("gives the jobs in the form that our documents name", async () => {
    await list("jobs.txt", ["-X", "-D", "-P", "--noconvert", "--delimiter=\x1f", "-o", FIELDS], EPOCHS);
    const said = ingest("text", "jobs.txt");
    expect(await jobsOf("text")).toEqual(truth);
    expect(said).not.toContain("warning");
  });

  it("gives them through examples/slurm/sacct.sh, once", async () => {
    const script = join(root, "examples", "slurm", "sacct.sh");
    const [work, out] = [join(cluster.folder, "work"), join(cluster.folder, "lists")];
    await succeed(script, [work, out]);
    const said = ingest("script", out);
    expect(await jobsOf("script")).toEqual(truth);
    expect(said).not.toContain("warning");
  });

  it("gives columns of fixed width, which are refused with the command that prints a list", async () => {
    const text = await list("fixed.txt", []);
    expect(text).toMatch(/^JobID +JobName/);
    const { code, err } = plimsoll(
      cluster.folder,
      "ingest",
      "fixed.txt",
      "--store",
      "fixed",
      "--threads",
      "1",
    );
    expect(code).toBe(3);
    expect(err).toMatch(/fixed\.txt: .*fixed-width.*sacct -a -X -D -P/);
  });

  it("gives them with bars and local times, beside rows of steps", async () => {
    const text = await list("steps.txt", ["-P", "-o", FIELDS], { TZ: ZONE });
    expect(text).toMatch(/\.batch\|/);
    ingest("steps", "steps.txt", "--zone", ZONE);
    expect(await jobsOf("steps")).toEqual(truth);
  });

  it("gives them when the name is in the midst of the columns", async () => {
    const fields = FIELDS.replace(",JobName", "").replace("User,", "JobName,User,");
    await list("midst.txt", ["-X", "-p", "-o", fields], EPOCHS);
    ingest("midst", "midst.txt");
    expect(await jobsOf("midst")).toEqual(truth);
  });

  it("gives them as JSON, which has no numbers of users", async () => {
    await list("jobs.json", ["--json"]);
    ingest("json", "jobs.json");
    const named = Object.entries(truth).map(([id, row]) => [id, { ...row, user_id: null }]);
    expect(await jobsOf("json")).toEqual(Object.fromEntries(named));
  });

  it("that found nothing or failed says so in its JSON only, and ingest passes it on", async () => {
    await list("none.json", ["--json", "-S", "2020-01-01", "-E", "2020-01-02"]);
    expect(ingest("none", "none.json")).toMatch(/none\.json: Slurm reported an error: .+; 0 jobs found/);

    // It prints the default start as the format says and cannot read that back; it ends with 0 all the same.
    const { code, stdout, stderr } = await cluster.run("sacct", ["-a", "--json"], { env: EPOCHS });
    expect(code).toBe(0);
    expect(stderr).toContain("Invalid time specification");
    writeFileSync(join(cluster.folder, "failed.json"), stdout);
    const failed = plimsoll(cluster.folder, "ingest", "failed.json", "--store", "failed", "--threads", "1");
    expect(failed.code).toBe(3);
    expect(failed.err).toMatch(/failed\.json: no list of jobs in it; Slurm reported: .+/);
  });

  it("gives one row for each job when it was listed while it ran and again after", async () => {
    ingest("twice", "early.txt");
    ingest("twice", "jobs.txt");
    const { source: _, ...columns } = Object.fromEntries(COLUMNS.split(", ").map((name) => [name, name]));
    const [rows = []] = await ask(
      join(cluster.folder, "twice"),
      `select job_id, ${Object.keys(columns).join(", ")} from job_totals`,
    );
    const found = rows.map(({ job_id, ...rest }) => [job_id, { ...rest, source: "scheduler" }]);
    expect(found.length).toBe(planned.size);
    expect(Object.fromEntries(found)).toEqual(truth);
  });
});

describe("job-line.sh of examples/slurm", () => {
  it(
    "puts a sentence about a job that ended into its AdminComment, and mails what is to change",
    async () => {
      const [id = ""] = [...planned].find(([, { state }]) => state === "COMPLETED") ?? [];
      const store = await Store.create(join(cluster.folder, "line-store"));
      const batch = store.beginBatch({ writer: "test" });
      // 20,000 writes of 100 bytes in ten seconds.
      await batch.append(storedJobs, 1, {
        ...{ job_key: [1n], job_id: [id], source: ["both"], synthetic: [0], nodes_counted: [1n] },
        ...{ start_unix_ns: [1_700_000_000_000_000_000n], end_unix_ns: [1_700_000_010_000_000_000n] },
        ...{ bytes_read: [0n], bytes_written: [2_000_000n], reads: [0n], writes: [20_000n], opens: [3n] },
      });
      await batch.commit();
      await store.close();
      const bin = join(cluster.folder, "bin");
      mkdirSync(bin);
      const mailed = join(cluster.folder, "mailed");
      const wrapper = `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`;
      writeFileSync(join(bin, "plimsoll"), wrapper, { mode: 0o755 });
      writeFileSync(join(bin, "mail"), `#!/bin/sh\n{ echo "$@"; cat; } >${mailed}\n`, { mode: 0o755 });
      const settings = join(cluster.folder, "line.conf");
      writeFileSync(
        settings,
        `PLIMSOLL_STORE=${cluster.folder}/line-store\nMAIL_TO=games\nPATH=${bin}:$PATH\n`,
      );
      const path = join(root, "examples", "slurm", "job-line.sh");
      const said = await cluster.run("env", [`PLIMSOLL_CONF=${settings}`, path, id]);
      expect(said.code, said.stderr).toBe(0);
      expect(said.stdout).toBe(
        `Job ${id} read 0 B and wrote 2 MB in 10 s (200 kB/s) with 3 metadata operations. To change: use larger writes (1 MiB or more); 20,000 writes have 100 B on average.\n`,
      );
      const comment = await succeed("sacct", ["-n", "-X", "-P", "-j", id, "-o", "AdminComment"]);
      // sacctmgr of Slurm makes letters small.
      expect(comment.trim().toLowerCase()).toBe(said.stdout.trim().toLowerCase());
      expect(readFileSync(mailed, "utf8")).toBe(`-s I/O of job ${id} games\n${said.stdout}`);
      // A job that the store does not know is an error in one line.
      const none = await cluster.run("env", [`PLIMSOLL_CONF=${settings}`, path, "99999999"]);
      expect(none.code).toBe(1);
      expect(none.stderr.trim().split("\n")).toEqual([
        expect.stringContaining("99999999: the store knows no job"),
      ]);
    },
    SLOW_MS,
  );
});
