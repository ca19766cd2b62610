// `--resume` again and again: of what was cut short, of what is complete, and of something else.
import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decide } from "./dataset/decision.ts";
import { inodeAt } from "./dataset/folders.ts";
import { datasetNames } from "./dataset/names.ts";
import { openAdaptive } from "./index.ts";
import { loadWritten, savePlan, type SavedPlan } from "./keep/plan-file.ts";
import {
  CUT_SIZES,
  cutShort,
  dataset,
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

const resume = (sources: readonly (string | Uint8Array)[], arrays = JOINED, more = {}) =>
  write(sources, arrays, { resume: true, ...more });

describe("--resume of a complete dataset", () => {
  it("says so when sources and arrays are the same, and writes nothing", async () => {
    const sources = makeSources([8000, 16000]);
    const first = await write(sources, JOINED);
    const before = readFileSync(dataset());
    for (let i = 0; i < 2; i++) {
      const again = await resume(sources);
      expect(again).toMatchObject({ alreadyComplete: true, step: 0, bytes: 24000, sources: 2, died: 0 });
      expect([again.blocks, again.record.keptBytes]).toEqual([first.blocks, 24000]);
    }
    expect(readFileSync(dataset()).equals(before)).toBe(true);
    expect(first.alreadyComplete).toBe(false);
  });

  it("says so without sources, and when an earlier --resume completed it", async () => {
    const sources = makeSources(CUT_SIZES);
    await cutShort(sources);
    expect((await resume(sources)).alreadyComplete).toBe(false);
    const writer = await openAdaptive(options({ resume: true }));
    expect(await writer.writeInput()).toMatchObject({ alreadyComplete: true, sources: 6 });
    await writer.close();
    expect(readBack("data").equals(joined(sources))).toBe(true);
  });

  it("says so when all processes died between the decision and the end", async () => {
    const sources = makeSources([8000]);
    await write(sources, JOINED);
    const names = datasetNames(dataset());
    await savePlan(names, loadWritten(names) as SavedPlan);
    rmSync(join(names.notes, "written.json"));
    const decision = { outcome: "complete", reason: "", replaced: [], attempt: "killed" } as const;
    const draft = { draft: `${dataset()}.part-killed-0`, draftInode: (await inodeAt(dataset())) as string };
    await decide(names, { ...decision, ...draft, subfiles: [] }, "killed");
    expect(await resume(sources)).toMatchObject({ alreadyComplete: true, bytes: 8000 });
    expect(readdirSync(names.notes).sort()).toEqual(["run.json", "written.json"]);
  });

  it("is refused when it is another, with what differs", async () => {
    const sources = makeSources([8000, 16000]) as [string, string];
    await write(sources, ["v:float64:*"]);
    const refusal = (difference: string) =>
      `${dataset()} is complete, but cannot be matched to this write: ${difference}; add a step with --append, replace it with --force`;
    await expect(resume([sources[0]], ["v:float64:*"])).rejects.toThrow(refusal("1 source instead of 2"));
    await expect(resume([...sources].reverse(), ["v:float64:*"])).rejects.toThrow(
      refusal(`source ${sources[1]} instead of ${sources[0]}`),
    );
    await expect(resume(sources, ["v:float32:*"])).rejects.toThrow(
      refusal("variable v:float32:6000 instead of v:float64:3000"),
    );
    await expect(resume(sources, ["w:float64:*"])).rejects.toThrow(
      refusal("variable w:float64:3000 instead of v:float64:3000"),
    );
    appendFileSync(sources[1], "12345678");
    await expect(resume(sources, ["v:float64:*"])).rejects.toThrow(
      refusal(`source ${sources[1]} changed: 16008 bytes instead of 16000`),
    );
    const bytes = noise(8000, 1);
    await write([bytes], JOINED, { force: true });
    await expect(resume([bytes])).rejects.toThrow(
      "source 0 in memory cannot be compared with what was written",
    );
    rmSync(join(datasetNames(dataset()).notes, "written.json"));
    await expect(resume(sources, ["v:float64:*"])).rejects.toThrow(
      refusal("it keeps no record of its sources"),
    );
  });

  it("is the next step with --append, unless it is the last one", async () => {
    const [one, two] = makeSources([8000, 16000]) as [string, string];
    const append = { append: true };
    expect(await resume([one], JOINED, append)).toMatchObject({ step: 0, alreadyComplete: false });
    expect(await resume([one], JOINED, append)).toMatchObject({ step: 0, alreadyComplete: true });
    expect(await resume([two], JOINED, append)).toMatchObject({ step: 1, alreadyComplete: false });
    expect(await resume([two])).toMatchObject({ step: 1, bytes: 16000, alreadyComplete: true });
    expect(readBack("data", 0).equals(readFileSync(one))).toBe(true);
    expect(readBack("data", 1).equals(readFileSync(two))).toBe(true);
  });

  it("fails when a data file is gone", async () => {
    const sources = makeSources([8000]);
    await write(sources, JOINED, { targets: undefined });
    rmSync(join(`${dataset()}.dir`, "x.bp.0"));
    await expect(resume(sources)).rejects.toThrow(
      `${dataset()} was completed, but its data file ${dataset()}.dir/x.bp.0 is gone; write it again with --force`,
    );
  });
});

it("--resume where there is nothing writes what is named, and has nothing to go by without", async () => {
  const writer = await openAdaptive(options({ resume: true }));
  await expect(writer.writeInput()).rejects.toThrow("no interrupted write");
  await writer.close();
  expect(await resume(makeSources([8000]))).toMatchObject({ alreadyComplete: false, bytes: 8000 });
});
