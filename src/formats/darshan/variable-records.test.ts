import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { DarshanLog } from "./log.ts";
import { heatmap, lustre, type ModuleSpec } from "./modules/index.ts";
import { type DarshanRecord, decodeRecord, type HeatmapRecord, type LustreRecord } from "./records.ts";
import { LogWriter, memorySink } from "./writer.ts";

/** Writes the records and reads them back. */
function through(spec: ModuleSpec, records: readonly DarshanRecord[], bigEndian = false): DarshanRecord[] {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders, bigEndian });
  writer.job({ uid: 0, startSeconds: 1, endSeconds: 2, nprocs: 1, jobId: 1, commandLine: "x" });
  writer.names([]);
  writer.module(spec, records);
  writer.finish();
  const log = new DarshanLog(bytesSource(sink.bytes()), { codecs: nodeCodecs });
  const found: DarshanRecord[] = [];
  const entry = log.module(spec.name);
  if (entry === undefined) return found;
  for (const block of log.records(entry)) {
    for (let k = 0; k < block.count; k++) found.push(decodeRecord(spec, block, k));
  }
  return found;
}

const heat = (rank: number, binSeconds: number, bins: readonly number[]): HeatmapRecord => ({
  kind: "heatmap",
  id: 1n,
  rank: BigInt(rank),
  binSeconds,
  writeBins: BigInt64Array.from(bins, BigInt),
  readBins: BigInt64Array.from(bins, (bin) => BigInt(10 * bin)),
});

describe("heat maps", () => {
  it("one bin longer or shorter than the first, at equal width, are evened out", () => {
    const records = [
      heat(0, 0.1, [1, 2, 3]),
      heat(1, 0.1, [4, 5, 6, 7]),
      heat(2, 0.1, [8, 9]),
      heat(3, 0.1, [1, 1, 1]),
    ];
    for (const bigEndian of [false, true]) {
      const found = through(heatmap, records, bigEndian) as HeatmapRecord[];
      expect(found.map((record) => Array.from(record.writeBins, Number))).toEqual([
        [1, 2, 3],
        [4, 5, 6],
        [8, 9, 0],
        [1, 1, 1],
      ]);
      expect(found.map((record) => Array.from(record.readBins, Number))).toEqual([
        [10, 20, 30],
        [40, 50, 60],
        [80, 90, 0],
        [10, 10, 10],
      ]);
    }
  });

  it("that differ by more, or in width, stay as they are", () => {
    const records = [
      heat(0, 0.1, [1, 2, 3]),
      heat(1, 0.1, [1]),
      heat(2, 0.2, [1, 2]),
      heat(3, 0.1, [1, 2, 3, 4, 5]),
    ];
    expect(through(heatmap, records)).toEqual(records);
  });
});

describe("Lustre layouts", () => {
  const component = (size: bigint, count: bigint) => ({
    counters: BigInt64Array.of(size, count, 0n, 16n, 0n, -1n, 0n),
    pool: new Uint8Array(0),
  });

  it("lose unused components and what they claim to hold", () => {
    const record: LustreRecord = {
      kind: "lustre",
      id: 7n,
      rank: 0n,
      components: [component(1048576n, 2n), component(-1n, 5n), component(4096n, 1n)],
      osts: BigInt64Array.of(11n, 12n, 99n, 98n, 97n, 96n, 95n, 94n),
    };
    const next: LustreRecord = {
      ...record,
      id: 8n,
      components: [component(4096n, 1n)],
      osts: BigInt64Array.of(3n),
    };
    const [trimmed, after] = through(lustre, [record, next]) as LustreRecord[];
    expect(trimmed?.components.length).toBe(1);
    expect(Array.from(trimmed?.osts ?? [])).toEqual([11n, 12n]);
    expect(after).toEqual(next);
  });

  it("with more stripes in use than they list are damage", () => {
    const record: LustreRecord = {
      kind: "lustre",
      id: 7n,
      rank: 0n,
      components: [component(1048576n, 3n), component(-1n, 0n)],
      osts: BigInt64Array.of(1n),
    };
    expect(() => through(lustre, [record])).toThrow(
      /LUSTRE record whose 1 components have 3 stripes lists 1/,
    );
  });
});
