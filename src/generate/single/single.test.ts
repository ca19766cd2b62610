/** The catalogue against two readers, against its own calls, and against what each log claims to show. */
import { beforeAll, describe, expect, it } from "vitest";
import { COUNTER_NAMES } from "../../../test/oracle/counter-names.ts";
import { type OracleLog, oracleRead } from "../../../test/oracle/darshan-oracle.ts";
import { bytesSource } from "../../base/source.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import { Totals } from "../../formats/darshan/totals.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import type { Layer } from "../recorder/calls.ts";
import { FINDINGS, makeSingle, randomOf, SINGLE_LOGS } from "./index.ts";
import { inconsistencies, least, most, nameOf, recordsOf, values } from "./test-kit.ts";

const SEED = 7;

describe("the catalogue", () => {
  it("has every log of the specification, each once, with the findings to expect", () => {
    expect(Object.fromEntries(SINGLE_LOGS.map(({ id, expected }) => [id, expected]))).toEqual({
      "small-writes": ["small-writes"],
      misaligned: ["misaligned"],
      "random-reads": ["random-reads"],
      "rank0-io": ["one-rank-io"],
      straggler: ["straggler"],
      "file-per-process": ["many-files"],
      "metadata-storm": ["metadata-storm"],
      independent: ["independent-mpiio"],
      "read-modify-write": ["write-amplification"],
      "re-reads": ["re-reads"],
      "stdio-bulk": ["stdio-bulk"],
      "stripe-one": ["stripe-one"],
      "unbalanced-osts": ["slow-ost"],
      "no-io": [],
      "metadata-only": [],
      "read-only": [],
      control: [],
      "fix-before": ["independent-mpiio"],
      "fix-after": [],
      "one-rank": [],
      "many-ranks": [],
      "heatmap-only": [],
      "dxt-only": [],
      partial: ["partial-data"],
      "non-mpi": [],
    });
    expect(new Set(SINGLE_LOGS.map(({ id }) => id)).size).toBe(SINGLE_LOGS.length);
  });

  it("expects only findings of the fixed list, and each of them in some log", () => {
    expect(new Set(SINGLE_LOGS.flatMap(({ expected }) => expected))).toEqual(new Set(FINDINGS));
  });
});

describe.each(SINGLE_LOGS)("$id", (entry) => {
  const { bytes, facts } = makeSingle(entry, SEED, nodeEncoders);
  const plan = entry.make(randomOf(entry.id, SEED));
  let oracle: OracleLog;
  beforeAll(() => {
    oracle = oracleRead(bytes);
  });

  it("has the totals of its facts in both readers", () => {
    const log = new DarshanLog(bytesSource(bytes, entry.id), { codecs: nodeCodecs });
    const read = { bytesRead: 0, bytesWritten: 0 };
    const said = { bytesRead: 0, bytesWritten: 0 };
    const files = new Set<bigint>();
    for (const layer of ["POSIX", "STDIO"] as const) {
      const module = log.module(layer);
      if (module?.spec?.derived !== undefined) {
        const { derived } = module.spec;
        const totals = new Totals(module.spec, derived);
        for (const block of log.records(module)) totals.add(block);
        const { integers } = totals.figures();
        read.bytesRead += Number(integers[derived.bytesRead - module.spec.integersAt]);
        read.bytesWritten += Number(integers[derived.bytesWritten - module.spec.integersAt]);
      }
      for (const record of recordsOf(oracle, layer)) {
        const value = values(layer, record);
        said.bytesRead += value("BYTES_READ");
        said.bytesWritten += value("BYTES_WRITTEN");
        if (!nameOf(oracle, record.id).startsWith("<")) files.add(record.id);
      }
    }
    const { job } = oracle;
    const runSeconds =
      Number(job.endSeconds - job.startSeconds) + Number(job.endNanoseconds - job.startNanoseconds) / 1e9;
    const { bytesRead, bytesWritten } = facts;
    expect(read).toEqual({ bytesRead, bytesWritten });
    expect(said).toEqual({ bytesRead, bytesWritten });
    expect(files.size).toBe(facts.files);
    expect(Number(job.nprocs)).toBe(facts.ranks);
    expect(Number(log.job.nprocs)).toBe(facts.ranks);
    expect(runSeconds).toBeCloseTo(facts.runSeconds, 9);
    expect(log.warnings).toEqual([]);
  });

  it("says that it is synthetic", () => {
    expect(oracle.job.metadata).toContainEqual(["made_by", "plimsoll generate single (synthetic)"]);
  });

  it("is consistent with itself and with the planned calls", () => {
    const sieved = entry.id === "read-modify-write";
    expect(inconsistencies(oracle, plan, sieved).slice(0, 10)).toEqual([]);
  });

  it("is the same for the same seed and another for another", () => {
    expect(Buffer.compare(makeSingle(entry, SEED, nodeEncoders).bytes, bytes)).toBe(0);
    expect(Buffer.compare(makeSingle(entry, SEED + 1, nodeEncoders).bytes, bytes)).not.toBe(0);
  });
});

describe("what is planted", () => {
  const read = (id: string) => {
    const entry = SINGLE_LOGS.find((log) => log.id === id)!;
    return {
      log: oracleRead(makeSingle(entry, SEED, nodeEncoders).bytes),
      plan: entry.make(randomOf(id, SEED)),
    };
  };
  const first = (id: string, layer: Layer = "POSIX") => {
    const [record] = recordsOf(read(id).log, layer);
    return values(layer, record!);
  };

  it("the straggler is rank 37, eight times as slow as the others, with as many bytes", () => {
    const value = first("straggler");
    expect(value("SLOWEST_RANK")).toBe(37);
    expect(value("SLOWEST_RANK_BYTES")).toBe(value("FASTEST_RANK_BYTES"));
    expect(value("F_SLOWEST_RANK_TIME") / value("F_FASTEST_RANK_TIME")).toBeGreaterThan(6);
    const control = first("heatmap-only");
    expect(control("F_SLOWEST_RANK_TIME") / control("F_FASTEST_RANK_TIME")).toBeLessThan(1.1);
  });

  it("accesses are misaligned, random or repeated in the logs that say so", () => {
    const misaligned = first("misaligned");
    expect(misaligned("FILE_NOT_ALIGNED") / misaligned("WRITES")).toBeGreaterThan(0.9);
    expect(first("small-writes")("FILE_NOT_ALIGNED")).toBe(0);
    const random = first("random-reads");
    expect(random("SEQ_READS") / random("READS")).toBeLessThan(0.6);
    const again = first("re-reads");
    expect(again("BYTES_READ")).toBe(8 * (again("MAX_BYTE_READ") + 1));
    expect(again("SEQ_READS") / again("READS")).toBeGreaterThan(0.9);
  });

  it("holes in collective writes make POSIX read first and move twice the bytes", () => {
    const above = first("read-modify-write", "MPI-IO");
    const below = first("read-modify-write");
    expect(below("BYTES_WRITTEN")).toBe(2 * above("BYTES_WRITTEN"));
    expect(below("BYTES_READ")).toBe(below("BYTES_WRITTEN"));
    expect(above("BYTES_READ")).toBe(0);
  });

  it("the fix writes the same bytes in less time", () => {
    const worse = first("fix-before", "MPI-IO");
    const better = first("fix-after", "MPI-IO");
    expect(better("BYTES_WRITTEN")).toBe(worse("BYTES_WRITTEN"));
    expect(better("F_SLOWEST_RANK_TIME")).toBeLessThan(worse("F_SLOWEST_RANK_TIME") / 2);
    expect([worse("COLL_WRITES"), better("INDEP_WRITES")]).toEqual([0, 0]);
  });

  it("files on OST 5 are slow, and no rank is slower than the others", () => {
    const { log } = read("unbalanced-osts");
    const slow = new Set(
      recordsOf(log, "LUSTRE").flatMap(({ id, extra }) => ((extra.osts as bigint[])[0] === 5n ? [id] : [])),
    );
    const perRank = new Map<bigint, number>();
    for (const record of recordsOf(log, "POSIX")) {
      const time = values("POSIX", record)("F_WRITE_TIME");
      expect(time > 0.5, String(record.id)).toBe(slow.has(record.id));
      perRank.set(record.rank, (perRank.get(record.rank) ?? 0) + time);
    }
    expect(slow.size).toBe(16);
    expect(most([...perRank.values()]) / least([...perRank.values()])).toBeLessThan(1.1);
  });

  it("most time of the metadata storm is metadata, and only the partial log is flagged", () => {
    const value = first("metadata-storm");
    expect(value("F_META_TIME")).toBeGreaterThan(10 * value("F_WRITE_TIME"));
    const flagged = read("partial").log.modules.filter(({ partial }) => partial);
    expect(flagged.map(({ name }) => name)).toEqual(["POSIX"]);
  });

  it("heat map and trace are there where the log is about them", () => {
    const names = (id: string) => read(id).log.modules.map(({ name }) => name);
    expect(names("heatmap-only")).toEqual(["POSIX", "LUSTRE", "HEATMAP"]);
    expect(names("dxt-only")).toEqual(["POSIX", "LUSTRE", "DXT_POSIX"]);
    expect(names("no-io")).toEqual([]);
    const all = ["POSIX", "MPI-IO", "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO", "HEATMAP"];
    expect(names("control")).toEqual(all);
    expect(recordsOf(read("one-rank").log, "POSIX").map(({ rank }) => rank)).toEqual([-1n, -1n]);
    expect(recordsOf(read("non-mpi").log, "POSIX").map(({ rank }) => rank)).toEqual([0n, 0n]);
  });

  it("a changed counter does not pass the check", () => {
    for (const [id, layer] of [
      ["straggler", "POSIX"],
      ["control", "MPI-IO"],
      ["stdio-bulk", "STDIO"],
    ] as const) {
      const names = COUNTER_NAMES[layer]!;
      const { log, plan } = read(id);
      const [record] = recordsOf(log, layer);
      const unseen: string[] = [];
      names.integers.forEach((name, index) => {
        record!.integers[index]! += 1n;
        if (inconsistencies(log, plan, false).length === 0) unseen.push(name);
        record!.integers[index]! -= 1n;
      });
      names.reals.forEach((name, index) => {
        const old = record!.reals[index]!;
        record!.reals[index] = old * 1.01 + 0.01;
        if (inconsistencies(log, plan, false).length === 0) unseen.push(name);
        record!.reals[index] = old;
      });
      expect(unseen, layer).toEqual([]);
    }
  });
});
