import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { hourOf, localToUnix, offsetAt, parsePeriod, zoneSpans } from "./zone.ts";
import { type MemoryStore, memoryStore } from "./test-kit.ts";

const wordsOf = (ns: bigint): [low: number, high: number] => [Number(ns & 0xffffffffn), Number(ns >> 32n)];

async function columnsOf(db: MemoryStore, sql: string): Promise<Record<string, bigint[]>> {
  const rows = await db.rows(sql);
  return Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((key) => [key, rows.map((row) => BigInt(row[key] as bigint))]),
  );
}

const LA = "America/Los_Angeles";

describe("zones", () => {
  it("knows the offset before and after clocks go back", () => {
    // 5 November 2017, 09:00 UTC.
    expect(offsetAt(LA, 1_509_872_399)).toBe(-7 * 3600);
    expect(offsetAt(LA, 1_509_872_400)).toBe(-8 * 3600);
    expect(offsetAt("Asia/Kolkata", 1_509_872_400)).toBe(5.5 * 3600);
    expect(offsetAt("UTC", 0)).toBe(0);
  });

  it("finds every change to the second", () => {
    expect(zoneSpans(LA, 1_506_841_200, 1_522_000_000)).toEqual([
      { fromUnix: 1_506_841_200, offsetSeconds: -25_200 },
      { fromUnix: 1_509_872_400, offsetSeconds: -28_800 },
      { fromUnix: 1_520_762_400, offsetSeconds: -25_200 },
    ]);
    expect(zoneSpans("UTC", 0, 2_000_000_000)).toHaveLength(1);
  });

  it("gives the same hours as DuckDB's own zones, over two years", async () => {
    const db = await memoryStore();
    for (const zone of [LA, "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]) {
      const spans = zoneSpans(zone, 1_483_228_800, 1_546_300_800);
      const { ns = [], hour = [] } = await columnsOf(
        db,
        `select ns, extract(hour from to_timestamp(ns / 1e9) at time zone '${zone}') as hour
          from (select (1483228800 + i * 1800) * 1000000000 as ns from range(35000) t(i))`,
      );
      const ours = hourOf(spans);
      const different = ns.filter((value, i) => ours(...wordsOf(value)) !== Number(hour[i]));
      expect([ns.length, different]).toEqual([35_000, []]);
    }
    db.close();
  });

  it("tells the last nanosecond of an hour from the first of the next", () => {
    const hour = hourOf([{ fromUnix: 0, offsetSeconds: 0 }]);
    for (const ns of [
      1_509_872_400_000_000_000n,
      3_600_000_000_000n,
      2n ** 62n - (2n ** 62n % 3_600_000_000_000n),
    ]) {
      const [before, after] = [hour(...wordsOf(ns - 1n)), hour(...wordsOf(ns))];
      expect(before).toBe(Number((ns / 3_600_000_000_000n - 1n) % 24n));
      expect(after).toBe(Number((ns / 3_600_000_000_000n) % 24n));
    }
  });

  it("gives every time the hour that it has alone, whatever came before", () => {
    const spans = zoneSpans("Australia/Lord_Howe", 1_483_228_800, 1_546_300_800);
    const after = hourOf(spans);
    const random = new Random(1);
    let before = 0n;
    for (let i = 0; i < 20_000; i++) {
      // Near a half hour, or near the time before, or anywhere.
      const place = 1_483_228_800n + BigInt(random.bits() % 63_072_000);
      const half = (place - (place % 1800n)) * 1_000_000_000n;
      const off = BigInt((random.bits() % 8192) - 4096);
      const ns = [half + off, before + off * 100_000_000n, place * 1_000_000_000n][i % 3] as bigint;
      expect(after(...wordsOf(ns)), String(ns)).toBe(hourOf(spans)(...wordsOf(ns)));
      before = ns;
    }
  });

  it("reads local dates and periods", () => {
    expect(localToUnix(LA, "2017-10-01")).toBe(1_506_841_200);
    expect(localToUnix(LA, "2017-11-05T00:30")).toBe(1_509_867_000);
    expect(localToUnix(LA, "2018-01-31T23:59:59")).toBe(1_517_471_999);
    expect(parsePeriod("UTC", "1970-01-02..")).toEqual({ fromNs: 86_400_000_000_000n });
    expect(parsePeriod("UTC", "")).toEqual({});
    expect(() => parsePeriod("UTC", "2018-01-02..2018-01-01")).toThrow(/the end is not after the start/);
    for (const none of ["2018-06-31", "2018-02-29", "2018-04-31T12:00", "2018-01-01 24:00"])
      expect(() => parsePeriod("UTC", `${none}..`), none).toThrow(`${none}: no such day or time`);
    for (const bad of ["2018-13-01", "2018-01-01T25:00"])
      expect(() => parsePeriod("UTC", `..${bad}`), bad).toThrow(/expected a date such as/);
    expect(localToUnix("UTC", "2020-02-29 23:59:59")).toBe(1_583_020_799);
    expect(() => parsePeriod("UTC", "soon..later")).toThrow(/expected a date such as/);
  });
});
