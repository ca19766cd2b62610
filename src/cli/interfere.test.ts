import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import interfere from "./interfere.ts";
import { runCli } from "./run.ts";
import { fakeWorld } from "./test-kit.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-interfere-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folders = ["a", "b"].map((name) => join(root, name));
for (const folder of folders) mkdirSync(folder);

async function plimsoll(...words: string[]) {
  const io = fakeWorld();
  const table = [{ name: interfere.name, summary: "", load: async () => ({ default: interfere }) }];
  const code = await runCli(["interfere", ...words], table, io);
  return { code, out: io.out, err: io.err };
}

describe("plimsoll interfere", () => {
  it("writes to every target until its time is over, and leaves nothing", async () => {
    const words = ["--streams", "2", "--file-bytes", "256K", "--json", ...folders];
    const loadFor = async (time: string) => {
      const { code, out } = await plimsoll("--seconds", time, ...words);
      expect(code).toBe(0);
      return JSON.parse(out);
    };
    const isIdle = ({ perTarget }: { perTarget: { bytes: number }[] }) =>
      perTarget.some(({ bytes }) => bytes === 0);
    let result = await loadFor("0.5");
    // A disk that others use can take longer than that for the first write.
    if (isIdle(result)) result = await loadFor("20");
    const { perTarget, bytes, seconds } = result;
    expect(perTarget.map(({ target }: { target: string }) => target)).toEqual(folders);
    for (const one of perTarget) expect(one.bytes).toBeGreaterThan(0);
    expect(bytes).toBe(perTarget[0].bytes + perTarget[1].bytes);
    expect(seconds).toBeGreaterThanOrEqual(0.5);
    expect(folders.flatMap((folder) => readdirSync(folder))).toEqual([]);
  });

  it("stops after this many bytes", async () => {
    const [folder = ""] = folders;
    const words = [
      "--bytes",
      "1M",
      "--streams",
      "1",
      "--file-bytes",
      "64K",
      "--seconds",
      "60",
      "--json",
      folder,
    ];
    const { bytes, seconds } = JSON.parse((await plimsoll(...words)).out);
    expect(bytes).toBeGreaterThanOrEqual(2 ** 20);
    expect(seconds).toBeLessThan(30);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says what is wrong", async () => {
    const { code, err } = await plimsoll(join(root, "missing"));
    expect([code, err]).toEqual([2, expect.stringContaining("missing: not a folder")]);
  });
});
