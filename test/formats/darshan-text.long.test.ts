/** Text of darshan-parser as an input: what is found in it is what is found in the log that it was printed from. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readJob } from "../../src/inputs/node.ts";
import { referenceLogs, referenceText } from "../reference-data.ts";

let folder = "";
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "plimsoll-text-"))));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string, name = "log.txt"): string {
  const path = join(folder, name);
  writeFileSync(path, Buffer.from(text, "latin1"));
  return path;
}

/** Findings, with numbers as far as six decimals of a time allow. */
const found = async (path: string) => {
  const { verdicts, job } = await readJob([path]);
  return {
    ids: verdicts.findings.map(({ id, severity }) => `${id} ${severity}`).sort(),
    bytes: [job.io.bytesReadExact, job.io.bytesWrittenExact],
    files: job.files.length,
    ranks: job.ranks,
  };
};

it.each(referenceLogs.map(({ name, path }) => [name, path] as const))("%s", async (name, path) => {
  const log = await found(path);
  const both = `${referenceText(name, "base")}${referenceText(name, "dxt")}`;
  expect(await found(fileWith(both))).toEqual(log);
});

it("is read from a gzip file, by its content", async () => {
  const [{ name = "", path = "" } = {}] = referenceLogs;
  const packed = join(folder, "anything.bin");
  writeFileSync(packed, gzipSync(Buffer.from(referenceText(name, "all"), "latin1")));
  expect((await found(packed)).bytes).toEqual((await found(path)).bytes);
});

it("says what sums alone lack, and where a line is none", async () => {
  const [{ name = "" } = {}] = referenceLogs;
  const head = referenceText(name, "base").split(/^# \*{9}/m)[0] as string;
  const list = `${head}\n# Per-file summary of I/O activity.\n# <record_id> <file_name> <nprocs>\n17\t/a\t4\n`;
  for (const text of [
    referenceText(name, "total"),
    `${head}\n# Total file counts\n# -----\n`,
    `${head}\n# performance\n# -----------\n# total_bytes: 5\n`,
    list,
  ])
    await expect(found(fileWith(text))).rejects.toThrow(
      "totals only (darshan-parser --total, --file, --perf or --file-list), no file records; print the log with darshan-parser --base, or pass the log itself",
    );
  await expect(found(fileWith(head.replace(/(version: )\S+/, "$12.05")))).rejects.toThrow(
    "text of a log of Darshan 2.05, which has different counters; Darshan 3.0 and newer can be read",
  );
  await expect(found(fileWith(`${referenceText(name, "base")}\nnoise\n`))).rejects.toThrow(
    /line \d+: 1 lines are neither counters nor traced calls/,
  );
});
