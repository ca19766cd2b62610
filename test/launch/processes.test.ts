/** Ranks as processes of this machine: what they say to each other arrives, and none outlives a run. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runRanks } from "../../src/launch/processes/parent.ts";

const here = dirname(fileURLToPath(import.meta.url));
let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-test-"));
  program = join(folder, "rank.mjs");
  await build({
    entryPoints: [join(here, "ranks/program.ts")],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(what: string, ranks: number, signal?: AbortSignal): Promise<unknown[][]> {
  const heard: unknown[][] = Array.from({ length: ranks }, () => []);
  await runRanks({
    program,
    ranks,
    data: { what },
    heard: (message, rank) => heard[rank]?.push(message),
    ...(signal !== undefined && { signal }),
  });
  return heard;
}

describe("ranks as processes", () => {
  it.each([1, 2, 5])("agree in collective calls (%i ranks)", async (size) => {
    const heard = await run("collectives", size);
    heard.forEach((rounds, rank) => {
      expect(rounds).toHaveLength(20);
      rounds.forEach((said, round) => {
        const root = round % size;
        const all = Array.from({ length: size }, (_, from) => from);
        expect(said).toEqual({
          word: [round, root],
          gathered:
            rank === root ? all.map((from) => [from + round, from + round === 0 ? null : from]) : undefined,
          received: all.map((from) => [from * rank * round, true]),
        });
      });
    });
  });

  it("get every message once, in the order of its sender", async () => {
    expect(await run("messages", 4)).toEqual([
      [{ wrong: 0 }],
      [{ wrong: 0 }],
      [{ wrong: 0 }],
      [{ wrong: 0 }],
    ]);
  });

  it("end all when one fails, with its reason", async () => {
    await expect(run("throw", 3)).rejects.toThrow("the disk of rank 1 is full");
    await expect(run("abort", 3)).rejects.toThrow("parameters differ");
    // What a rank was given is at fault, so nobody calls it an internal error.
    await expect(run("input", 3)).rejects.toMatchObject({
      ...{ name: "FormatError", source: "server 2", message: "server 2: closed the connection" },
    });
    await expect(run("die", 3)).rejects.toThrow(/rank \d (was ended by SIGKILL|is gone)/);
  });

  it("end when the run is stopped, and leave no folder", async () => {
    const before = folders();
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    await expect(run("hang", 3, stop.signal)).rejects.toThrow("stopped");
    expect(folders().filter((name) => !before.includes(name))).toEqual([]);
  });
});

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("plimsoll-ranks-"));
