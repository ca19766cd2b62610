// What others do to sources, data files and indexes while a write is under way.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decide } from "./dataset/decision.ts";
import { datasetNames } from "./dataset/names.ts";
import { openAdaptive, stepInput } from "./index.ts";
import {
  CUT_SIZES,
  cutShort,
  dataset,
  folder,
  JOINED,
  joined,
  makeSources,
  options,
  readBack,
  write,
  useFolders,
} from "./test-kit.ts";

useFolders();

/** Writes, and calls `strike` once: when a share of the bytes is on the targets, in any case before the commit. */
async function writeStruck(
  sources: readonly string[],
  share: number,
  strike: () => void,
  policy?: string,
): Promise<void> {
  let struck = false;
  const onProgress = ({ bytes, totalBytes }: { bytes: number; totalBytes: number }) => {
    if (struck || bytes < share * totalBytes) return;
    struck = true;
    strike();
  };
  try {
    await write(sources, JOINED, { onProgress, policy });
  } finally {
    expect(struck).toBe(true);
  }
}

const onTargets = () => ["a", "b", "c"].flatMap((name) => readdirSync(join(folder, name)));

describe("a source", () => {
  /** Overwrites the last bytes in place, again until the clock of the file system has gone on. */
  function overwrite(path: string, setBack = false): void {
    const before = statSync(path, { bigint: true });
    do {
      const file = openSync(path, "r+");
      writeSync(file, "torn", Number(before.size) - 4);
      closeSync(file);
      if (setBack) utimesSync(path, new Date(0), new Date(0));
    } while (statSync(path, { bigint: true }).ctimeNs === before.ctimeNs);
  }

  it("that is shorter than it was planned ends the write", async () => {
    const sources = makeSources([3_000_000, 2_000_000]);
    const writer = await openAdaptive(options());
    const input = stepInput(sources);
    truncateSync(sources[1] as string, 1_500_000);
    await expect(writer.writeInput(input)).rejects.toThrow(
      `${sources[1]} changed since the write was planned: 1500000 bytes instead of 2000000`,
    );
    await writer.close();
    expect(existsSync(dataset())).toBe(false);
  });

  it.each([
    ["overwritten", (path: string) => overwrite(path), "modified at 20"],
    [
      "overwritten, with its times set back",
      (path: string) => overwrite(path, true),
      "its inode changed at 20",
    ],
    [
      "replaced by another of the same size and time",
      (path: string) => {
        copyFileSync(path, `${path}.new`);
        utimesSync(`${path}.new`, new Date(0), new Date(0));
        renameSync(`${path}.new`, path);
      },
      "another file has its name",
    ],
    ["longer", (path: string) => appendFileSync(path, "more"), "3000004 bytes instead of 3000000"],
  ])("that is %s during the write ends it, and nothing is committed", async (_, strike, how) => {
    const sources = makeSources([3_000_000, 3_000_000]);
    for (const path of sources) utimesSync(path, new Date(0), new Date(0));
    const last = sources[1] as string;
    // When all was read, so that nobody sees it half done.
    await expect(writeStruck(sources, 1, () => strike(last), "static")).rejects.toThrow(
      `nothing was committed to ${dataset()}: ${last} changed since the write was planned: ${how}`,
    );
    expect(existsSync(dataset())).toBe(false);
    // Nothing is left that would not fit the source as it is now.
    expect(onTargets()).toEqual([]);
    await write(sources, JOINED);
    expect(readBack("data").equals(joined(sources))).toBe(true);
  });

  it("that is overwritten when a part of it was read ends the write, too", async () => {
    const sources = makeSources([3_000_000, 3_000_000]);
    const last = sources[1] as string;
    await expect(writeStruck(sources, 0, () => overwrite(last))).rejects.toThrow(
      `nothing was committed to ${dataset()}: ${last} changed since the write was planned: `,
    );
    expect(existsSync(dataset())).toBe(false);
    expect(onTargets()).toEqual([]);
  });

  it("that is removed during the write ends it", async () => {
    const sources = makeSources([3_000_000, 3_000_000]);
    await expect(writeStruck(sources, 1, () => rmSync(sources[1] as string), "static")).rejects.toThrow(
      `cannot read ${sources[1]}: no such file`,
    );
    expect(existsSync(dataset())).toBe(false);
  });

  it("that changed since a write was cut short is not mixed with what was kept", async () => {
    const sources = makeSources(CUT_SIZES);
    await cutShort(sources);
    overwrite(sources[0] as string);
    await expect(write(sources, JOINED, { resume: true })).rejects.toThrow(
      `source ${sources[0]} changed: modified at 20`,
    );
    const writer = await openAdaptive(options({ resume: true }));
    await expect(writer.writeInput()).rejects.toThrow(`${sources[0]} changed since the write was planned`);
    await writer.close();
    expect(existsSync(dataset())).toBe(false);
  });
});

describe("a data file", () => {
  it.each([
    ["removed", (path: string) => rmSync(path), "removed"],
    [
      "replaced by a copy",
      (path: string) => {
        copyFileSync(path, `${path}-copy`);
        renameSync(`${path}-copy`, path);
      },
      "replaced by another",
    ],
  ])("that is %s before the commit fails the write; --resume completes it", async (_, strike, how) => {
    const sources = makeSources([300_000, 300_000, 300_000]);
    const onTarget = () => join(folder, "b", readdirSync(join(folder, "b"))[0] as string);
    await expect(writeStruck(sources, 1, () => strike(onTarget()), "static")).rejects.toThrow(
      new RegExp(
        `^nothing was committed to ${dataset()}: the data file ${folder}/b/x\\.bp\\.[0-9a-f]+\\.1 of target 1 was ${how} while it was written; written data is kept: --resume`,
      ),
    );
    // Neither the dataset nor a draft of its index.
    expect(readdirSync(folder).sort()).toEqual(["a", "b", "c", "ranks", "x.bp.dir"]);
    const { record } = await write(sources, JOINED, { resume: true });
    expect(record.keptBytes).toBeGreaterThanOrEqual(600_000);
    expect(readBack("data").equals(joined(sources))).toBe(true);
    const bpls = spawnSync("bpls", ["-l", dataset()], { encoding: "utf8" });
    expect([bpls.status, bpls.stdout]).toEqual([0, expect.stringContaining("{900000} = 0 / 255")]);
  });
});

describe("a new index", () => {
  it("that is lost after the decision: the old one under its name is not taken for it", async () => {
    const [one, two] = makeSources([8000, 16000]) as [string, string];
    await write([one], ["v:float64:*"]);
    const names = datasetNames(dataset());
    const before = readFileSync(dataset());
    const replaced = readdirSync(names.folder).flatMap((name) =>
      name.startsWith("x.bp.") ? [join(names.folder, name)] : [],
    );
    const draft = `${dataset()}.part-lost-0`;
    const lost = { outcome: "complete", reason: "", subfiles: [], attempt: "lost" } as const;
    await decide(names, { ...lost, draft, draftInode: "1", replaced }, "lost");
    await expect(write([two], ["v:float64:*"])).rejects.toThrow("exists; add a step with --append");
    expect(readFileSync(dataset()).equals(before)).toBe(true);
    expect(readBack("v").equals(readFileSync(one))).toBe(true);
  });
});
