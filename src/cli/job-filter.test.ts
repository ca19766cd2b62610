/** --include and --exclude, checked against sums over the text of darshan parse. */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { inside } from "./darshan/test-kit.ts";

const LOG = fileURLToPath(new URL("../../test/fixtures/darshan/files1000_dxt.darshan", import.meta.url));

/** Sum of a counter over files whose names a test takes. */
async function sumOf(counter: string, takes: (path: string) => boolean): Promise<number> {
  const { out } = await inside("darshan", "parse", LOG);
  return out
    .split("\n")
    .map((line) => line.split("\t"))
    .filter((cells) => cells[3] === counter && takes(cells[5] as string))
    .reduce((sum, cells) => sum + Number(cells[4]), 0);
}

const json = async (...words: string[]) => JSON.parse((await inside(...words, "--json")).out);

it("leaves files out of counters, calls and tables, and says what it left out", async () => {
  const isIn = (path: string) => path.endsWith("1.dat") && !path.includes("/d003/");
  const report = await json("report", LOG, "--include", "*1.dat", "--exclude", "**/d003/**");
  const { filter, metrics, filesTotal } = report;
  expect(filesTotal).toBeGreaterThan(10);
  expect(filesTotal + filter.filesLeftOut).toBe(1000);
  expect(report.files.every(({ path }: { path: string }) => isIn(path))).toBe(true);
  expect(metrics.bytesRead).toBe(await sumOf("POSIX_BYTES_READ", isIn));
  expect(metrics.bytesWritten).toBe(await sumOf("POSIX_BYTES_WRITTEN", isIn));
  expect(filter.bytesReadLeftOut).toBe(await sumOf("POSIX_BYTES_READ", (path) => !isIn(path)));
  expect(filter.bytesWrittenLeftOut).toBe(await sumOf("POSIX_BYTES_WRITTEN", (path) => !isIn(path)));
  expect(metrics.layers[0].reads).toBe(await sumOf("POSIX_READS", isIn));
  const traced = metrics.traced.files.map(({ path }: { path: string }) => path);
  expect(traced.length).toBeGreaterThan(0);
  expect(traced.every(isIn)).toBe(true);
});

it("says so on the terminal, and nothing without a pattern", async () => {
  const { out } = await inside("report", LOG, "--exclude", "*1.dat");
  expect(out).toContain("--exclude *1.dat");
  expect(out.replace(/\s+/g, " ")).toContain("100 files with");
  expect((await json("report", LOG)).filter).toBeNull();
});

it("is one line when a pattern matches nothing, in diff when it matches in neither run", async () => {
  const { code, err } = await inside("findings", LOG, "--exclude", "*.nope");
  expect(code).toBe(2);
  expect(err).toMatch(/^plimsoll: --exclude \*\.nope: no file name matches this pattern[^\n]*\n$/);
  expect((await inside("diff", LOG, LOG, "--include", "*1.dat")).code).toBe(0);
});

it("chooses calls for bps", async () => {
  const all = await json("bps", LOG);
  const part = await json("bps", LOG, "--include", "*1.dat");
  const rest = await json("bps", LOG, "--exclude", "*1.dat");
  expect(part.accesses + rest.accesses).toBe(all.accesses);
  expect(part.accesses).toBeGreaterThan(0);
  expect((await inside("bps", LOG, "--include", "*.nope")).code).toBe(2);
});
