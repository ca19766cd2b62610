/** The transport over ranks, with ranks that are tasks of this process; real MPI is in test/adaptive/mpi-write.long.test.ts. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { BpDataset } from "../../../formats/bp/index.ts";
import type { Communicator } from "../../../launch/communicator.ts";
import { runTasks } from "../../../launch/in-process.ts";
import { crc32 } from "../../../node/crc32.ts";
import { type FileSource, openFile } from "../../../node/file-source.ts";
import { openAdaptive, RankHosts, serveWrites, type WriterOptions } from "../index.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-ranks-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder = "";
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  for (const name of ["a", "b", "c"]) mkdirSync(join(folder, name), { recursive: true });
});

const ROWS = 40;
const COLUMNS = 100;

const RANKS = 16;
const ARRAYS = { arrays: [`t:float64:*,${COLUMNS}`] };

function sources(): string[] {
  return Array.from({ length: RANKS }, (_, rank) => {
    const path = join(folder, `rank${rank}`);
    const first = rank * ROWS * COLUMNS;
    writeFileSync(
      path,
      Float64Array.from({ length: ROWS * COLUMNS }, (_, i) => first + i),
    );
    return path;
  });
}

/** Runs `root` on rank 0 and writers on the others, all with a name of their machine. */
async function withRanks<T>(
  ranks: number,
  body: (hosts: RankHosts) => Promise<T>,
  machine?: (rank: number) => string,
): Promise<T> {
  const results = await runTasks(ranks, async (communicator: Communicator) => {
    if (communicator.rank > 0) {
      await serveWrites(communicator, machine?.(communicator.rank));
      return undefined;
    }
    const hosts = new RankHosts(communicator);
    try {
      return await body(hosts);
    } finally {
      expect(await hosts.quit()).toBe(true);
    }
  });
  return results[0] as T;
}

function openWriter(hosts: RankHosts, more: Partial<WriterOptions> = {}) {
  return openAdaptive({
    path: join(folder, "x.bp"),
    targets: ["a", "b", "c"].map((name) => join(folder, name)),
    writers: hosts.hosts,
    history: false,
    transport: hosts,
    ...more,
  });
}

/** Element n of a step is n, and every checksum holds. */
function isWhole(step = 0): boolean {
  const open: FileSource[] = [];
  const source = (path: string) => {
    const file = openFile(path);
    open.push(file);
    return file;
  };
  try {
    const data = new BpDataset({
      main: source(join(folder, "x.bp")),
      subfile: (k) => source(join(folder, "x.bp.dir", `x.bp.${k}`)),
      crc32,
    });
    for (const { damage } of data.verify()) expect(damage).toBeUndefined();
    const bytes = Buffer.concat([...data.read(data.variable("t"), { step })].map((one) => one.slice()));
    const values = new Float64Array(Uint8Array.from(bytes).buffer);
    return values.length === RANKS * ROWS * COLUMNS && values.every((value, i) => value === i);
  } finally {
    for (const one of open) one.close();
  }
}

const pick = (one: Communicator): Communicator => ({
  name: one.name,
  rank: one.rank,
  size: one.size,
  barrier: () => one.barrier(),
  broadcast: (bytes, from) => one.broadcast(bytes, from),
  gather: (bytes, to) => one.gather(bytes, to),
  exchange: (out) => one.exchange(out),
  send: (to, bytes) => one.send(to, bytes),
  receive: () => one.receive(),
  abort: (reason) => one.abort(reason),
  close: () => one.close(),
});

describe("writers on ranks", () => {
  it.each([2, 4, 7])("write a dataset in several steps (%i ranks)", async (ranks) => {
    await withRanks(ranks, async (hosts) => {
      const writer = await openWriter(hosts);
      const paths = sources();
      for (let step = 0; step < 3; step++) {
        const result = await writer.writeStep(paths, ARRAYS);
        expect(result.record.run.outcome).toBe("complete");
        expect(result.died).toBe(0);
      }
      await writer.close();
    });
    for (let step = 0; step < 3; step++) expect(isWhole(step)).toBe(true);
  });

  it("agree on the time with machines that count from another start", async () => {
    const result = await withRanks(
      4,
      async (hosts) => {
        const writer = await openWriter(hosts);
        const written = await writer.writeStep(sources(), ARRAYS);
        await writer.close();
        return written;
      },
      (rank) => `machine ${rank}`,
    );
    expect(isWhole()).toBe(true);
    // Times of the run lie within it, though each rank worked them out from answers of the first.
    const { calls } = result.record.run;
    for (let i = 0; i < calls.count; i++) {
      expect(calls.startNs[i]).toBeGreaterThan(-0.05e9);
      expect(calls.endNs[i]).toBeLessThan(1e9 * (result.wallSeconds + 0.05));
    }
  });

  it("share the speed that a target is held to", async () => {
    const result = await withRanks(4, async (hosts) => {
      const writer = await openWriter(hosts, { speeds: [1e6, 1e6, 1e6] });
      const written = await writer.writeStep(sources(), ARRAYS);
      await writer.close();
      return written;
    });
    expect(isWhole()).toBe(true);
    // 1.6 MB over three targets at 1 MB/s each, however many write at once, take half a second; less what goes at once.
    expect(result.seconds).toBeGreaterThan(0.1);
  });

  it("stop when asked to, and can be used again", async () => {
    await withRanks(3, async (hosts) => {
      const stop = new AbortController();
      const paths = sources();
      const first = await openWriter(hosts, { speeds: [50_000, 50_000, 50_000], signal: stop.signal });
      setTimeout(() => stop.abort(), 300);
      await expect(first.writeStep(paths, ARRAYS)).rejects.toThrow("stopped");
      await first.close();
      expect(existsSync(join(folder, "x.bp"))).toBe(false);
      const second = await openWriter(hosts, { resume: true });
      await second.writeStep(paths, ARRAYS);
      await second.close();
    });
    expect(isWhole()).toBe(true);
  });

  it("do the work of one that falls silent", async () => {
    let over: () => void = () => {};
    const all = new Promise<void>((resolve) => (over = resolve));
    let silent = false;
    const results = await runTasks(4, async (communicator) => {
      if (communicator.rank === 2) {
        const mute: Communicator = {
          ...pick(communicator),
          send: (to, bytes) => (silent ? Promise.resolve() : communicator.send(to, bytes)),
          receive: () => (silent ? new Promise(() => {}) : communicator.receive()),
        };
        await Promise.race([serveWrites(mute), all]);
        return undefined;
      }
      if (communicator.rank > 0) {
        await serveWrites(communicator);
        return undefined;
      }
      const hosts = new RankHosts(communicator);
      setTimeout(() => (silent = true), 300);
      const notes: string[] = [];
      const writer = await openWriter(hosts, {
        speeds: [1e5, 1e5, 1e5],
        heartbeatSeconds: 0.25,
        onNote: (line) => notes.push(line),
      });
      const result = await writer.writeStep(sources(), ARRAYS);
      await writer.close();
      expect(await hosts.quit()).toBe(false);
      over();
      expect(notes).toEqual([
        expect.stringMatching(/writer process 1 is gone \(rank 2 has been silent for 1 s\)/),
      ]);
      return result;
    });
    expect(results[0]).toMatchObject({ died: 1 });
    expect(isWhole()).toBe(true);
  });

  it("say what cannot be read", async () => {
    await withRanks(3, async (hosts) => {
      const paths = sources();
      const writer = await openWriter(hosts, { speeds: [100_000, 100_000, 100_000] });
      const writing = writer.writeStep(paths, ARRAYS);
      setTimeout(() => rmSync(paths.at(-1) as string), 50);
      await expect(writing).rejects.toThrow(/rank15/);
      await writer.close();
    });
  });
});
