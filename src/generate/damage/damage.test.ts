/** Every file of the damage pack meets its expectation when it is read as ingest reads it. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import { StoredRows } from "../../formats/darshan/stored-rows.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { MemorySink, type RowObject } from "../reuse/test-kit.ts";
import { type DamagedLog, damagePack } from "./index.ts";

const pack = damagePack(nodeEncoders);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function read({ name, bytes }: DamagedLog) {
  const rows = new StoredRows({ identify: () => ({ low: 1, high: 1 }), nowUnixSeconds: 1_800_000_000 });
  const sink = new MemorySink();
  rows.add(new DarshanLog(bytesSource(bytes, name), { codecs: nodeCodecs }), name, { low: 1, high: 1 });
  await rows.flush(sink);
  return sink.rows();
}

describe("the damage pack", () => {
  it("has each kind of damage once, under names that are not taken twice, and the same bytes every time", () => {
    expect(pack.length).toBeGreaterThanOrEqual(25);
    expect(new Set(pack.map(({ name }) => name)).size).toBe(pack.length);
    expect(damagePack(nodeEncoders)).toEqual(pack);
    const byHash = new Map<string, string>();
    for (const { name, bytes, outcome, of } of pack) {
      const earlier = byHash.get(hashOf(bytes));
      expect([name, earlier]).toEqual([name, outcome === "duplicate" ? of : undefined]);
      byHash.set(hashOf(bytes), earlier ?? name);
    }
  });

  it.each(pack.map((file) => [file.name, file] as const))("%s", async (_, file) => {
    if (file.outcome === "refused") {
      const error = await read(file).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(FormatError);
      expect((error as FormatError).message).toMatch(new RegExp(`^${file.name}: byte \\d+: `));
      expect((error as FormatError).message).toContain(file.reason);
      return;
    }
    const { runs, accesses } = await read(file);
    const run = (runs as RowObject[])[0] as RowObject;
    expect({
      clock: run.clock,
      files: run.files,
      bytesRead: run.bytes_read,
      bytesWritten: run.bytes_written,
      rows: (accesses as RowObject[]).length,
      partial: (accesses as RowObject[]).some(({ partial }) => partial === 1),
    }).toEqual({
      clock: file.clock ?? "ok",
      files: BigInt(file.files ?? 0),
      bytesRead: file.bytesRead,
      bytesWritten: file.bytesWritten,
      rows: file.files,
      partial: file.partial ?? false,
    });
    if (file.outcome === "read in part") expect(run.warnings).toContain(file.reason);
  });

  it("counts the counters that are left out, which -1 is not", async () => {
    const log = pack.find(({ name }) => name === "negative-counters.darshan") as DamagedLog;
    const [run] = (await read(log)).runs ?? [];
    expect(run?.negative_counters).toBe(1n);
  });
});
