import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { collectAccesses, WRITE_FLAG } from "../test-kit.ts";
import { fioLog } from "./format.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/accesses/${name}`, import.meta.url));
const read = (text: string | Uint8Array, options = {}) => collectAccesses(fioLog, text, options);
const whole = (name: string) => read(fixture(name), { name });

describe("latency logs of fio", () => {
  it("hold the completion of each access and how long it took", () => {
    const { clock, accesses, processes, notes } = whole("mixed_lat.1.log");
    const lines = fixture("mixed_lat.1.log").toString().trim().split("\n");
    expect(clock).toEqual({ kind: "own", epochNs: 0n, uncertaintyNs: 1e6 });
    expect(processes).toEqual([{ pid: 1, program: "fio" }]);
    expect(accesses.length).toBe(16);
    for (const [index, line] of lines.entries()) {
      const [time, latency, direction, bytes, offset] = line.split(", ").map(Number) as [
        number,
        number,
        number,
        number,
        number,
      ];
      expect(accesses[index]).toMatchObject({
        start: time * 1e6 - latency,
        end: time * 1e6,
        bytes,
        offset,
        flags: direction === 1 ? WRITE_FLAG : 0,
      });
    }
    expect(notes.map(({ id, count }) => [id, count])).toEqual([["coarse-times", 16]]);
  });

  it("may count from 1970, and have priorities instead of offsets", () => {
    const { clock, accesses } = whole("epoch_lat.1.log");
    const first = Number(/^\d+/.exec(fixture("epoch_lat.1.log").toString())?.[0]);
    expect(clock).toMatchObject({ kind: "realtime", epochNs: BigInt(Math.floor(first / 1000)) * 10n ** 9n });
    expect(accesses[0]?.end).toBe((first % 1000) * 1e6);
    expect(accesses.every(({ offset }) => Number.isNaN(offset))).toBe(true);
    expect(whole("plain_lat.1.log").accesses.every(({ offset }) => Number.isNaN(offset))).toBe(true);
  });

  it("of old versions have offsets in the fifth column and microseconds", () => {
    expect(read("5, 20, 0, 4096, 0\n6, 30, 1, 4096, 8192\n", { latency: "us" }).accesses).toMatchObject([
      { start: 4_980_000, end: 5e6, offset: 0 },
      { start: 5_970_000, end: 6e6, offset: 8192 },
    ]);
    expect(read("5, 20, 0, 4096\n", { latency: "us" }).accesses).toMatchObject([
      { start: 4_980_000, bytes: 4096 },
    ]);
  });

  it("with issue times are exact", () => {
    const text = "1, 5000, 0, 4096, 0, 0, 1000000\n1, 6000, 0, 4096, 4096, 0, 1006000\n";
    const { accesses, notes, clock } = read(text, { name: "x_clat.3.log" });
    expect(accesses.map(({ start, end, pid }) => [start, end, pid])).toEqual([
      [1_000_000, 1_005_000, 3],
      [1_006_000, 1_012_000, 3],
    ]);
    expect(notes).toEqual([]);
    expect(clock?.uncertaintyNs).toBeUndefined();
    const unix = read(
      "1712345678001, 5000, 0, 4096, 0, 0, 1000000\n1712345678001, 6000, 0, 4096, 0, 0, 1006000\n",
    );
    expect(unix.accesses.map(({ start, end }) => [start, end])).toEqual([
      [995_000, 1_000_000],
      [1_001_000, 1_007_000],
    ]);
    // The total latency log has zeros there.
    expect(read("1, 5000, 0, 4096, 0, 0, 0\n").accesses[0]).toMatchObject({ start: 995_000, end: 1e6 });
  });

  it("pass over trims, and count bad lines", () => {
    const { accesses, notes } = read(
      "1, 5, 1, 4096, 0\n2, 5, 2, 4096, 0\nx\n3, 5, 7, 4096, 0\n4, 5, 0, 4096, 0\n5, 5,",
    );
    expect(accesses.length).toBe(2);
    expect(notes.map(({ id, count }) => [id, count])).toEqual([
      ["truncated", 1],
      ["bad-line", 2],
      ["trims", 1],
      ["coarse-times", 2],
    ]);
    expect(notes[1]?.text).toContain("the first is line 3: expected 5 numbers");
  });

  it("that hold no single accesses are refused", () => {
    expect(() => whole("bandwidth_bw.1.log")).toThrow(/line 1: a bandwidth log of fio has no latencies/);
    expect(() => whole("averaged_lat.1.log")).toThrow(/line 1: the log has averages \(log_avg_msec\)/);
    expect(() => read("10, 5, 9, 0, 0, 0, 0\n")).toThrow(/averages/);
    for (const kind of ["iops", "slat", "clat_hist"])
      expect(() => read("1, 5, 1, 4096, 0\n", { name: `job_${kind}.1.log` })).toThrow(FormatError);
    expect(() => read("")).toThrow(/empty/);
    expect(() => read("1, 2\n")).toThrow(/line 1: expected 4 to 7 numbers/);
    expect(() => read("1, 2, 9, 4096, 1\n1, 2, 9, 4096, 1\n")).toThrow(/line 1: expected 5 numbers/);
  });

  it("that were cut or changed are read or refused", () => {
    const text = fixture("mixed_lat.1.log").toString();
    for (let length = 0; length < text.length; length++) {
      try {
        read(text.slice(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), fc.nat(20), (at, added, removed) => {
        try {
          read(text.slice(0, at) + added + text.slice(at + removed));
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});

const fioWorks = spawnSync("fio", ["--version"], { stdio: "ignore" }).status === 0;

it.runIf(fioWorks)("fio on this machine logs what it did", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-fio-"));
  try {
    const job =
      "--name=j --filename=data --size=256k --bs=4k --rw=write --ioengine=psync --write_lat_log=j --log_offset=1";
    expect(spawnSync("fio", job.split(" "), { cwd: folder, stdio: "ignore" }).status).toBe(0);
    const name = join(folder, "j_lat.1.log");
    const { accesses } = read(readFileSync(name), { name });
    expect(accesses.map(({ offset }) => offset).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 64 }, (_, block) => 4096 * block),
    );
    expect(
      accesses.every(({ bytes, flags, start, end }) => bytes === 4096 && flags === WRITE_FLAG && start < end),
    ).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
