// Runs both variants of a program: alone for true times, then the flawed one recorded, and asks for findings.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const plimsoll = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "bin", "plimsoll");
const TIMEOUT_MS = 300_000;

const running = new Set();
let stopped = false;

/** Ends what is running, which would go on without us, and lets nothing more start. */
export function stop() {
  stopped = true;
  for (const child of running) {
    child.kill("SIGTERM");
    // MPICH's launcher hangs when the signal comes while it starts ranks; these end with the control group of the storage.
    setTimeout(() => child.kill("SIGKILL"), 2000).unref();
  }
}

/** Runs a command to its end; gives its output and how long it took. */
function run(words) {
  if (stopped) return Promise.reject(new Error("stopped by a signal"));
  return new Promise((resolve, reject) => {
    const began = process.hrtime.bigint();
    const child = spawn(words[0], words.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    const [out, err] = [[], []];
    child.stdout.on("data", (data) => out.push(data));
    child.stderr.on("data", (data) => err.push(data));
    const end = () => {
      clearTimeout(timer);
      running.delete(child);
    };
    child.once("error", (error) => {
      end();
      reject(error);
    });
    child.once("exit", () => {
      if (!stopped) return;
      end();
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
      reject(new Error("stopped by a signal"));
    });
    child.once("close", (code, signal) => {
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      end();
      const said = Buffer.concat(err).toString().trim();
      if (code === 0) resolve({ seconds, out: Buffer.concat(out).toString(), said });
      else reject(new Error(`${words.join(" ")}: ended with ${code ?? signal}: ${said}`));
    });
  });
}

/** A program on its storage. */
export class Bench {
  constructor(program, { launcher, command }, storage, count) {
    this.program = program;
    this.storage = storage;
    const size = count === undefined ? [] : ["--count", String(count)];
    this.plain = [...launcher, ...command, ...storage.folders, ...size];
    // Ranks that have links of their own join these one by one.
    const hasLinks = program.storage.some((word) => word.startsWith("link="));
    this.words = [...launcher, ...(hasLinks ? storage.join : []), ...command, ...storage.folders, ...size];
  }

  /** Empty folders, and the input that the program reads, not in the page cache. */
  async prepare() {
    for (const folder of this.storage.folders) {
      for (const name of readdirSync(folder).filter((one) => one !== "lost+found"))
        rmSync(join(folder, name), { recursive: true });
    }
    if (this.program.prepare) await run([...this.plain, "--prepare"]);
  }

  async once(mended) {
    await this.prepare();
    return run([...this.storage.join, ...this.words, ...(mended ? ["--mended"] : [])]);
  }

  /** Seconds of both variants, in turns, so that a change of the machine's speed meets both. */
  async times(repeats) {
    const [flawed, mended] = [[], []];
    for (let turn = 0; turn < repeats; turn++) {
      const one = await this.once(false);
      const files = turn === 0 ? this.files() : undefined;
      const other = await this.once(true);
      flawed.push(one.seconds);
      mended.push(other.seconds);
      if (turn === 0) this.compare([one.out, files], [other.out, this.files()]);
    }
    return { flawed: spread(flawed), mended: spread(mended) };
  }

  compare([said, files], [saidMended, filesMended]) {
    const { name, same } = this.program;
    if (said !== saidMended) throw new Error(`${name}: prints ${said} and, mended, ${saidMended}`);
    if (same && files !== filesMended)
      throw new Error(`${name}: leaves ${files} and, mended, ${filesMended}`);
  }

  /** Names and checksums of what the program has left. */
  files() {
    return this.storage.folders
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
          .map((path) => `${relative(dirname(folder), path)} ${checksum(path)}`),
      )
      .sort()
      .join("\n");
  }

  /** The flawed variant under the recorder (`trace` is a folder then) or under strace; gives the findings. */
  async findings(input, trace) {
    await this.prepare();
    rmSync(trace, { recursive: true, force: true });
    const before =
      input === "record"
        ? [plimsoll, "record", "--only", dirname(this.storage.folders[0]), "-o", trace, "--"]
        : ["strace", "-f", "-ttt", "-T", "-y", "-s", "0", "-e", "trace=file,desc", "-o", trace];
    const { seconds } = await run([...this.storage.join, ...before, ...this.words]);
    const { out } = await run([plimsoll, "findings", trace, "--json"]);
    return { seconds, findings: JSON.parse(out).findings };
  }
}

const checksum = (path) => createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16);

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: sorted[Math.floor((sorted.length - 1) / 2)],
    range: [sorted[0], sorted[sorted.length - 1]],
  };
}
