/** Commands and plans of the benchmark, with what they cost. */
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";

/** CPU time of a step at one size, for the model. */
export interface Step {
  readonly name: string;
  readonly accesses: number;
  readonly cpuSeconds: number;
}

export interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  /** What it printed. */
  readonly json: Record<string, unknown>;
}

interface JobRow {
  readonly task: string;
  readonly state: string;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly attempts: number;
}

export interface Planned {
  readonly seconds: number;
  /** Of the command that submits and follows. */
  readonly cpuSeconds: number;
  readonly jobs: readonly JobRow[];
  readonly mapCpu: number;
  readonly mergeCpu: number;
  readonly result: Record<string, unknown>;
}

export class Measure {
  readonly folder: string;
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(root: string, folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#program = join(root, "dist", "start.cjs");
    this.#env = env;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs one command with --json; one that fails ends the benchmark, by default. */
  async command(name: string, words: readonly string[], mayFail = false): Promise<Measured> {
    const [notes, out] = [this.path(`${name}.time`), this.path(`${name}.json`)];
    const command = ["-o", notes, "-f", "%e %U %S %M", process.execPath, this.#program, ...words, "--json"];
    const began = performance.now();
    const child = spawn("/usr/bin/time", command, { cwd: this.folder, env: this.#env });
    const errors: string[] = [];
    child.stderr.on("data", (data) => errors.push(String(data)));
    child.stdout.pipe(createWriteStream(out));
    const [status] = await once(child, "close");
    if (status !== 0 && !mayFail)
      throw new Error(`plimsoll ${words.join(" ")}: ${status}: ${errors.join("").slice(-2000)}`);
    const [, user = 0, system = 0, kib = 0] =
      readFileSync(notes, "utf8").trim().split("\n").at(-1)?.split(" ").map(Number) ?? [];
    return {
      seconds: (performance.now() - began) / 1000,
      cpuSeconds: user + system,
      peakBytes: kib * 1024,
      json: JSON.parse(readFileSync(out, "utf8") || "{}"),
    };
  }

  async plan(name: string, words: readonly string[], mayFail = false): Promise<Planned> {
    const { seconds, cpuSeconds, json } = await this.command(
      `${name}-plan`,
      [...words, "--run", name, "--wait"],
      mayFail,
    );
    const jobs = (json.jobs ?? []) as JobRow[];
    const cpu = (stage: string) =>
      jobs.filter(({ task }) => task.startsWith(stage)).reduce((sum, job) => sum + (job.cpuSeconds ?? 0), 0);
    return {
      seconds,
      cpuSeconds,
      jobs,
      mapCpu: cpu("map"),
      mergeCpu: cpu("merge"),
      result: (json.result ?? {}) as Record<string, unknown>,
    };
  }

  async rows(words: readonly string[]): Promise<unknown[]> {
    const { json } = await this.command("rows", words);
    return (json.rows ?? json) as unknown[];
  }

  /** Two results of a study without what the clock says. */
  same(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
    const values = ({ seconds: _, ...rest }: Record<string, unknown>) => JSON.stringify(rest);
    return values(one) === values(other);
  }

  megabytes(name: string): number {
    const { stdout } = spawnSync("du", ["-sm", this.path(name)], { encoding: "utf8" });
    return Number.parseInt(stdout, 10);
  }

  remove(...names: readonly string[]): void {
    for (const name of names) rmSync(this.path(name), { recursive: true, force: true });
  }

  print(name: string, one: Measured | undefined, many: Planned | undefined): void {
    const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
    const peak = (stage: string) =>
      mb(
        Math.max(
          0,
          ...(many?.jobs ?? []).filter(({ task }) => task.startsWith(stage)).map((job) => job.peakBytes),
        ),
      );
    const words = [`${name}:`];
    if (one !== undefined)
      words.push(
        `one process ${one.cpuSeconds.toFixed(1)} s CPU, ${one.seconds.toFixed(1)} s, ${mb(one.peakBytes)};`,
      );
    if (many !== undefined) {
      const all = many.mapCpu + many.mergeCpu;
      words.push(
        `tasks ${many.mapCpu.toFixed(1)} s CPU (at most ${peak("map")}), merge ${many.mergeCpu.toFixed(1)} s (${peak("merge")}), ${many.seconds.toFixed(1)} s`,
        `in all, following ${many.cpuSeconds.toFixed(1)} s CPU;`,
      );
      if (one !== undefined)
        words.push(`overhead ${(100 * (all / one.cpuSeconds - 1)).toFixed(0)} % of CPU time`);
    }
    console.log(words.join(" "));
  }
}
