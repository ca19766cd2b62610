import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BackendSpec, TargetFault } from "../backend/index.ts";
import { datasetNames } from "./dataset/names.ts";
import { readIndex } from "./host/commit.ts";
import { openAdaptive } from "./index.ts";
import { readJournals } from "./keep/journal.ts";
import {
  CUT_SIZES,
  cutShort,
  dataset,
  folder,
  JOINED,
  joined,
  makeSources,
  noise,
  options,
  readBack,
  write,
  useFolders,
} from "./test-kit.ts";

useFolders();

describe("a dataset holds what the sources held", () => {
  // Rows of 37 × 53 singles: pieces of whole mebibytes are cut inside rows.
  const row = 37 * 53 * 4;

  it.each(["plimsoll", "paper", "static"])("under policy %s", async (policy) => {
    const sources = makeSources([700 * row, 3 * row, 900 * row, row]);
    const result = await write(sources, ["t:float32:*,37,53"], { policy });
    expect(readBack("t").equals(joined(sources))).toBe(true);
    expect(result.bytes).toBe(1604 * row);
    expect(result.record.run.outcome).toBe("complete");
    expect(readdirSync(join(folder, "x.bp.dir", ".plimsoll"))).toEqual(["run.json", "written.json"]);
  });

  it("with blocks cut into pieces in the middle of rows", async () => {
    const sources = makeSources([4000 * row]);
    const { record } = await write(sources, ["t:float32:*,37,53"], {
      writers: 1,
      perTarget: 1,
      targets: [join(folder, "a")],
    });
    expect(record.run.calls.count).toBeGreaterThan(1);
    expect(readBack("t").equals(joined(sources))).toBe(true);
  });

  it("with several variables in each source", async () => {
    const sources = makeSources([8 * 30 + 2 * 5 * 7, 8 * 44 + 2 * 5 * 7]);
    await write(sources, ["p/a:float64:*", "b:int16:5,7"]);
    const [first, second] = sources.map((path) => readFileSync(path)) as [Buffer, Buffer];
    const parts = [first.subarray(0, 240), second.subarray(0, 352)];
    expect(readBack("p/a").equals(Buffer.concat(parts))).toBe(true);
    expect(readBack("b").equals(Buffer.concat([first.subarray(240), second.subarray(352)]))).toBe(true);
  });

  it("with many small sources, some of them empty", async () => {
    const sources = makeSources(Array.from({ length: 300 }, (_, i) => i % 7));
    await write(sources, JOINED);
    expect(readBack("data").equals(joined(sources))).toBe(true);
  });

  it("with a variable for each source, named after it, when nothing is said of their content", async () => {
    const sources = makeSources([3_000_000, 0, 5_000_000]);
    const notes: string[] = [];
    const result = await write(sources, [], { onNote: (line) => notes.push(line) });
    for (const i of [0, 2])
      expect(readBack(`rank${i}`).equals(readFileSync(sources[i] as string))).toBe(true);
    const { variables } = readIndex(dataset());
    expect(variables.map(({ name }) => name)).toEqual(["rank0", "rank2"]);
    expect(notes).toEqual([`1 source of 0 bytes without a variable in the dataset: ${sources[1]}`]);
    expect(result.blocks).toBe(variables.reduce((sum, { blocks }) => sum + blocks.length, 0));
    expect([result.sources, result.blocks > 2]).toEqual([3, true]);
  });

  it("with a variable for each of many small sources, and a step more of some", async () => {
    const sources = makeSources(Array.from({ length: 100 }, (_, i) => 1 + (i % 7)));
    await write(sources, []);
    expect(readBack("rank99").equals(readFileSync(sources[99] as string))).toBe(true);
    await write(sources.slice(2, 4), [], { append: true });
    expect(readBack("rank3", 1).equals(readFileSync(sources[3] as string))).toBe(true);
    expect(readIndex(dataset()).variables).toHaveLength(100);
  });

  it("from memory, each source a variable", async () => {
    const writer = await openAdaptive(options());
    await writer.writeStep([noise(1000, 1), noise(3000, 2)]);
    await writer.close();
    expect(readBack("source1").equals(noise(3000, 2))).toBe(true);
  });

  it("from memory, step after step", async () => {
    const writer = await openAdaptive(options());
    const steps = [noise(8 * 1000, 1), noise(8 * 2000, 2), noise(8 * 500, 3)];
    for (const [i, bytes] of steps.entries()) {
      const { step } = await writer.writeStep([bytes.subarray(0, 4000), bytes.subarray(4000)], {
        arrays: ["v:uint64:*"],
      });
      expect(step).toBe(i);
    }
    await writer.close();
    for (const [step, bytes] of steps.entries()) expect(readBack("v", step).equals(bytes)).toBe(true);
  });

  it("in the dataset's own folder, as plain files", async () => {
    const sources = makeSources([5000, 6000]);
    await write(sources, JOINED, { targets: undefined });
    expect(readdirSync(`${dataset()}.dir`).sort()).toEqual([".plimsoll", "x.bp.0"]);
    expect(readBack("data").equals(joined(sources))).toBe(true);
  });
});

describe("a dataset that exists", () => {
  it("is added to without touching what is there", async () => {
    const [one, two] = makeSources([8000, 16000]) as [string, string];
    await write([one], ["v:float64:*"]);
    const names = readdirSync(`${dataset()}.dir`).filter((name) => name.startsWith("x.bp"));
    const before = names.map((name) => readFileSync(join(`${dataset()}.dir`, name)));
    await write([two], ["v:float64:*"], { append: true });
    expect(names.map((name) => readFileSync(join(`${dataset()}.dir`, name)))).toEqual(before);
    expect(readBack("v", 0).equals(readFileSync(one))).toBe(true);
    expect(readBack("v", 1).equals(readFileSync(two))).toBe(true);
  });

  it("is refused, replaced, or asked to fit", async () => {
    const [one, two] = makeSources([8000, 16000]) as [string, string];
    await write([one], ["v:float64:*"]);
    await expect(write([two], ["v:float64:*"])).rejects.toThrow(
      "exists; add a step with --append, or replace it with --force",
    );
    await expect(write([two], ["v:float32:*"], { append: true })).rejects.toThrow(
      '"v" is float32 with 1 dimensions; in earlier steps float64 with 1',
    );
    await write([two], ["w:float64:*"], { force: true });
    expect(readBack("w").equals(readFileSync(two))).toBe(true);
    const files = ["a", "b", "c"].flatMap((name) => readdirSync(join(folder, name)));
    expect(new Set(files.map((name) => name.split(".")[2])).size).toBe(1);
  });
});

describe("a target that fails", () => {
  const faulty = (...faults: TargetFault[]): BackendSpec => ({
    kind: "faulty",
    of: { kind: "posix" },
    faults,
  });

  it.each([
    ["EIO when it is written to", { target: 1, call: "write", code: "EIO", afterBytes: 100_000 }],
    ["ENOSPC when it is written to", { target: 0, call: "write", code: "ENOSPC", afterBytes: 0 }],
    ["EIO when a file is made", { target: 2, call: "create", code: "EIO" }],
    ["EIO when it is synced", { target: 1, call: "sync", code: "EIO" }],
  ] as const)("with %s leaves its work to the others", async (_, fault) => {
    const sources = makeSources(Array.from({ length: 6 }, () => 300_000));
    for (const policy of ["plimsoll", "paper"]) {
      const notes: string[] = [];
      await write(sources, JOINED, {
        policy,
        backend: faulty(fault),
        force: true,
        onNote: (line) => notes.push(line),
      });
      // A target whose file opened last may have nothing in it that could fail.
      const line = `target ${fault.target} (${join(folder, "abc"[fault.target] as string)}): ${fault.code}; its work moves to other targets if possible`;
      expect(notes).toEqual(policy === "paper" || notes.length > 0 ? [line] : []);
      expect(readBack("data").equals(joined(sources))).toBe(true);
    }
  });

  it("to be synced, while another is late: what moves to the late one is not written over", async () => {
    // Many pieces, so that an index of them has no room in what is left free behind the last.
    const sources = makeSources(Array.from({ length: 200 }, () => 30_000));
    // Whatever is written beside the data, such as an index, comes long after the pieces that moved.
    const late = { code: "slow", seconds: 0.3 } as const;
    const backend = faulty(
      { target: 0, call: "write", ...late, bytesMax: 25_000 },
      { target: 0, call: "sync", ...late },
      { target: 1, call: "sync", code: "EIO" },
    );
    const targets = ["a", "b"].map((name) => join(folder, name));
    const { record } = await write(sources, JOINED, { policy: "paper", backend, targets });
    expect(record.run.calls.count).toBeGreaterThan(sources.length);
    expect(readBack("data").equals(joined(sources))).toBe(true);
    const [subfile, ...more] = readdirSync(`${dataset()}.dir`).filter((name) => name.startsWith("x.bp."));
    expect(more).toEqual([]);
    expect(readIndex(join(`${dataset()}.dir`, subfile as string)).groups).toHaveLength(sources.length);
  });

  it("like all others ends with one line and no dataset", async () => {
    const sources = makeSources([300_000, 300_000]);
    const backend = faulty(
      ...[0, 1, 2].map((target) => ({ target, call: "write", code: "ENOSPC" }) as const),
    );
    const writing = write(sources, JOINED, { backend });
    await expect(writing).rejects.toThrow(
      /^nothing was committed to .*x\.bp: no storage target accepts data any more \(target 0 .*: ENOSPC; target 1 .*: ENOSPC/,
    );
    expect(existsSync(dataset())).toBe(false);
    expect(["a", "b", "c"].flatMap((name) => readdirSync(join(folder, name)))).toEqual([]);
  });

  it("ends a static write, which moves nothing", async () => {
    const sources = makeSources([300_000, 300_000, 300_000]);
    const backend = faulty({ target: 1, call: "write", code: "EIO" });
    await expect(write(sources, JOINED, { backend, policy: "static" })).rejects.toThrow(
      "policy static does not move work",
    );
  });
});

describe("a write that is cut short", () => {
  it("goes on with what is good, and with nothing else", async () => {
    const sources = makeSources(CUT_SIZES);
    await cutShort(sources);
    await expect(write(sources, JOINED)).rejects.toThrow(
      "an earlier write was interrupted; continue it with --resume, or start over with --force",
    );
    const { notes } = datasetNames(dataset());
    const kept = readJournals(notes);
    expect(kept.length).toBeGreaterThan(1);
    // One piece loses a bit, and a journal its last line's end.
    const [bad] = kept as [(typeof kept)[number]];
    const bytes = readFileSync(bad.path);
    bytes[bad.info.group + 5000] = (bytes[bad.info.group + 5000] as number) ^ 1;
    writeFileSync(bad.path, bytes);
    const journal = join(notes, readdirSync(notes).find((name) => name.startsWith("journal.")) as string);
    appendFileSync(journal, "deadbeef [0,100,0,");
    const { record } = await write(sources, JOINED, { resume: true });
    const good = kept.slice(1).reduce((sum, { from, to }) => sum + to - from, 0);
    expect(record.keptBytes).toBe(good);
    expect(record.run.bytes).toBe(CUT_SIZES.reduce((a, b) => a + b) - good);
    expect(readBack("data").equals(joined(sources))).toBe(true);
  });

  it("goes on without being told the sources again", async () => {
    const sources = makeSources(CUT_SIZES);
    await cutShort(sources);
    const writer = await openAdaptive(options({ resume: true }));
    await writer.writeInput();
    await writer.close();
    expect(readBack("data").equals(joined(sources))).toBe(true);
  });

  it("is not mixed with other sources", async () => {
    const sources = makeSources(CUT_SIZES);
    await cutShort(sources);
    await expect(write(sources.slice(1), JOINED, { resume: true })).rejects.toThrow(
      "the interrupted write was a different one: 5 sources instead of 6; give the same sources and arrays",
    );
    truncateSync(sources[2] as string, 10);
    await expect(write(sources, JOINED, { resume: true })).rejects.toThrow(
      "changed: 10 bytes instead of 700000",
    );
    await write(sources, JOINED, { force: true });
    expect(readBack("data").equals(joined(sources))).toBe(true);
    expect(["a", "b", "c"].flatMap((name) => readdirSync(join(folder, name))).length).toBeLessThanOrEqual(3);
  });
});

describe("two writers of one dataset", () => {
  it("do not meet: the second is told who the first is", async () => {
    const first = await openAdaptive(options());
    await expect(openAdaptive(options())).rejects.toThrow(
      new RegExp(`x\\.bp is being written by process ${process.pid} since 20`),
    );
    await first.close();
    await (await openAdaptive(options())).close();
  });

  it("of which the first is dead: the second takes over", async () => {
    const { notes } = datasetNames(dataset());
    mkdirSync(notes, { recursive: true });
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const dead = { pid, host: (await import("node:os")).hostname(), ticks: "1", since: "2020" };
    writeFileSync(join(notes, "lock"), JSON.stringify(dead));
    await (await openAdaptive(options())).close();
    expect(existsSync(join(notes, "lock"))).toBe(false);
  });
});

it("a dataset can be moved together with its targets", async () => {
  const sources = makeSources([100_000, 200_000]);
  await write(sources, JOINED);
  const content = joined(sources);
  const moved = `${folder}-moved`;
  renameSync(folder, moved);
  // The old place is taken by another file, so that nothing can be found there.
  writeFileSync(folder, "");
  expect(readBack("data", undefined, join(moved, "x.bp")).equals(content)).toBe(true);
});
