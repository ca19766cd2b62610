import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { bytesSource } from "../../base/source.ts";
import { paramPath, targetInPath } from "./bare-path.ts";
import { SLOT_COLUMNS, slotsOf } from "./counter-slots.ts";
import { Coverage } from "./coverage.ts";
import { JobIds, jobKey } from "./job-ids.ts";
import { partOf, piecesOf, timing } from "../../formats/text/dump-pieces.ts";
import { timeFromLine, timeFromPath } from "../../formats/text/sample-time.ts";

const SECOND = 1_000_000_000n;
const bytes = (text: string) => new TextEncoder().encode(text);

describe("times of texts", () => {
  it.each([
    ["samples/1528329660.job_stats", 1528329660n * SECOND],
    ["1528329660.25/obdfilter.fs-OST0001.job_stats", 1528329660_250000000n],
    ["s/1528329660123.txt", 1528329660_123000000n],
    ["s/job_stats-20180607T0001.txt", 1528329660n * SECOND],
    ["s/2018-06-07T02:01:00+02:00/oss1.txt", 1528329660n * SECOND],
    ["2018-06-07_00.01.00.log", 1528329660n * SECOND],
    ["s/20180607000100/x", 1528329660n * SECOND],
    ["s/oss1.txt", undefined],
    ["s/20180607.txt", undefined],
    ["s/20181307T0001.txt", undefined],
    ["s/0123456789.txt", undefined],
    ["1528329660/a/b/c/oss1.txt", undefined],
  ])("%s", (path, expected) => {
    expect(timeFromPath(path)).toBe(expected);
  });

  it.each([
    ["1528329660", 1528329660n * SECOND],
    ["### 1528329660.5 ###", 1528329660_500000000n],
    ["time: 2018-06-07T00:01:00Z", 1528329660n * SECOND],
    ["timestamp=1528329660", 1528329660n * SECOND],
    ["Thu Jun  7 00:01:00 UTC 2018", 1528329660n * SECOND],
    ["# of jobs: 1528329660", undefined],
    ["snapshot_time             1528329660.5 secs.usecs", undefined],
    ["read_bytes 1528329660 samples [bytes]", undefined],
    ["", undefined],
  ])("the line %s", (line, expected) => {
    expect(timeFromLine(line)).toBe(expected);
  });
});

describe("targets of texts", () => {
  it("come from the path where the file has a name of its own", () => {
    expect(targetInPath("series/ost0000_v2.12/1528329660.job_stats")).toBe("OST0000");
    expect(targetInPath("s/oss1-lustre1-OST00fF.txt")).toBe("lustre1-OST00ff");
    expect(targetInPath("s/lost0000/x")).toBeUndefined();
    expect(targetInPath("s/OST00001/x")).toBeUndefined();
    expect(paramPath("x/mdt0001-1528329660.txt", true)).toBe("mdt/MDT0001/job_stats");
    expect(paramPath("fs-MDT0001/1528329660.md_stats", false)).toBe("mdt/fs-MDT0001/md_stats");
    expect(paramPath("fs-OST0001/1528329660.stats", false)).toBe("obdfilter/fs-OST0001/stats");
    expect(paramPath("1528329660/obdfilter.fs-OST0001.stats", false)).toBe("obdfilter/fs-OST0001/stats");
    expect(paramPath("ost/fs-OST0001_UUID/1528329660.job_stats", true)).toBe(
      "obdfilter/fs-OST0001/job_stats",
    );
  });

  it.each([
    "osc/fs-OST0001-osc-ffff8800aa/stats",
    "1528329660/osc.fs-OST0001-osc-ffff8800aa.stats",
    "client7/fs-OST0001-osc-ffff8800aa.txt",
    "s/osc_fs-OST0001/1528329660.stats",
    "osp/fs-OST0001-osc-MDT0000/1528329660/stats",
    "mdc/fs-MDT0000-mdc-ffff8800aa/md_stats",
    "lwp/fs-MDT0000-lwp-OST0001/stats",
    "ldlm/namespaces/filter-fs-OST0001_UUID/pool/stats",
    "s/filter-fs-OST0001_UUID-1528329660.txt",
    "ldlm.namespaces.fs-OST0001-osc-ffff8800aa.pool.stats",
    "osd-ldiskfs/fs-OST0001/stats",
    "obdfilter/fs-OST0001/exports/1.2.3.4@tcp/stats",
    "1528329660/obdfilter.fs-OST0001.exports.1.2.3.4@tcp.stats",
    "fs-OST0001/ost/OSS/ost_io/stats",
    "fs-OST0001/1528329660.brw_stats",
    "mdt/fs-MDT0000/stats",
  ])("%s is no file of an OST or MDT as a whole", (path) => {
    expect(paramPath(path, false)).toBe(path);
  });

  it("a text with counters of a client's device is a client's, whatever its name", () => {
    const lines = [
      "snapshot_time 1510950459.8 secs.nsecs",
      "req_waittime 7348 samples [usec] 58 6461 2436371",
    ];
    expect(paramPath("fs-OST0001/1528329660.stats", false, lines)).toBe("fs-OST0001/1528329660.stats");
  });
});

describe("pieces of a text", () => {
  const cut = (text: string, name: string) => {
    const source = bytesSource(bytes(text), name);
    const { by } = timing(bytes(text).subarray(0, 4096), name);
    return piecesOf(source, by).map((piece) => {
      const part = partOf(source, piece);
      const body = new TextDecoder().decode(part.read(0, part.byteLength));
      return [piece.timeNs === undefined ? undefined : piece.timeNs / SECOND, body];
    });
  };

  it("begin at lines of time, at the first line again, or are the whole", () => {
    expect(cut("1528329660\na=\nx\n1528329720\na=\ny\n", "log")).toEqual([
      [1528329660n, "a=\nx\n"],
      [1528329720n, "a=\ny\n"],
    ]);
    expect(cut("a.b.c=\nx\n1528329720\n", "1528329600.txt")).toEqual([
      [1528329600n, "a.b.c=\nx\n1528329720\n"],
    ]);
    expect(cut("a.b.c=\nx\nd=\na.b.c=\ny\n", "log")).toEqual([
      [undefined, "a.b.c=\nx\nd=\n"],
      [undefined, "a.b.c=\ny\n"],
    ]);
    expect(cut("", "log")).toEqual([[undefined, ""]]);
  });

  it("are the same wherever windows end", () => {
    const body = `a=\n${"  line of a text\n".repeat(9000)}`;
    const text = Array.from({ length: 20 }, (_, i) => `${1528329600 + 60 * i}\n${body}`).join("");
    expect(text.length).toBeGreaterThan(2 ** 21);
    const found = cut(text, "log");
    expect(found.map(([time]) => time)).toEqual(
      Array.from({ length: 20 }, (_, i) => BigInt(1528329600 + 60 * i)),
    );
    for (const [, part] of found) expect(part).toBe(body);
  });
});

describe("what is stored already", () => {
  it("agrees with a list of moments", () => {
    const moment = fc.nat({ max: 30 });
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, moment), { maxLength: 12 }), moment, moment, (pairs, a, b) => {
        const coverage = new Coverage();
        const stretches = pairs.map(([x, y]) => [Math.min(x, y), Math.max(x, y)] as const);
        for (const [from, to] of stretches) coverage.add("k", BigInt(from), BigInt(to));
        // In halves of a step: what lies between two moments is covered when a stretch holds it.
        const between = new Set<number>();
        for (const [from, to] of stretches) for (let i = from; i < to; i++) between.add(i);
        const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
        const isFree = Array.from({ length: to - from }, (_, i) => from + i).every((i) => !between.has(i));
        expect(coverage.isFree("k", BigInt(from), BigInt(to))).toBe(isFree);
        expect(coverage.endOf("k", BigInt(a)) !== undefined).toBe(
          stretches.some(([begin, end]) => begin <= a && a <= end),
        );
        expect(coverage.isFree("other", 0n, 9n)).toBe(true);
      }),
    );
  });
});

describe("columns of counters", () => {
  it("depend on the unit and on the target", () => {
    expect(slotsOf("read", "bytes", "OST")).toEqual({ sum: 0, samples: 2, metadata: false });
    const named = (name: string, unit: string, role: "OST" | "MDT") => {
      const { sum = -1, samples = -1, metadata } = slotsOf(name, unit, role) ?? {};
      return [SLOT_COLUMNS[sum], SLOT_COLUMNS[samples], metadata];
    };
    expect(named("read", "usecs", "OST")).toEqual(["read_usecs", undefined, false]);
    expect(named("write", "usecs", "OST")).toEqual(["write_usecs", undefined, false]);
    expect(named("open", "usecs", "MDT")).toEqual(["metadata_usecs", "opens", true]);
    expect(named("getattr", "reqs", "MDT")).toEqual([undefined, "getattrs", true]);
    expect(named("statfs", "usec", "MDT")).toEqual(["metadata_usecs", "statfs", true]);
    expect(named("migrate", "reqs", "MDT")).toEqual([undefined, undefined, true]);
    expect(slotsOf("getattr", "reqs", "OST")).toBeUndefined();
    expect(slotsOf("crossdir_rename", "reqs", "MDT")).toBeUndefined();
  });
});

describe("job ids", () => {
  it("are decoded once, as servers print them or as bytes", () => {
    const identify = (jobId: string) => ({ jobId, cluster: undefined, userId: undefined, node: undefined });
    const printed = new JobIds({ escaped: true, identify });
    const id = bytes('"a\\x20b"');
    const index = printed.find(id, 0, id.length);
    expect(printed.find(id, 0, id.length)).toBe(index);
    const keys = new BigUint64Array(printed.keyHalves.buffer);
    expect([printed.job(index).jobId, keys[index]]).toEqual(["a b", jobKey("a b")]);
    const plain = new JobIds({ escaped: false, identify });
    expect(plain.job(plain.find(id, 0, id.length)).jobId).toBe('"a\\x20b"');
    const latin = Uint8Array.of(0xe9, 0x41);
    expect(plain.job(plain.find(latin, 0, 2)).jobId).toBe("éA");
    // SHA-256 of "1234" begins with 03ac674216f3e15c.
    expect(jobKey("1234")).toBe(0x03ac674216f3e15cn);
  });
});
