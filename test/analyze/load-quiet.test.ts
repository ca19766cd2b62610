// Quiet hours against planted days and plain loops; times as people write them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quietHours } from "../../src/analyze/load/index.ts";
import { coinTail } from "../../src/analyze/load/quiet.ts";
import { resolveWindow, parseTime, storedTime } from "../../src/analyze/load/window.ts";
import { type MemoryStore, memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { Random } from "../../src/base/prng.ts";
import { quantileOf } from "../../src/base/statistics.ts";

const ZONE = "Europe/Berlin";
/** 2024-03-20T00:00 in Berlin; on the 31st an hour is left out. */
const FROM = Date.UTC(2024, 2, 19, 23) / 60_000;
const DAYS = 20;
let db: MemoryStore;
const rows: { minute: number; bytes: number }[] = [];

const FORMAT = new Intl.DateTimeFormat("en-GB", {
  timeZone: ZONE,
  weekday: "short",
  day: "2-digit",
  month: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const local = (minute: number) => {
  const parts = FORMAT.formatToParts(new Date(minute * 60_000));
  const of = (type: string) => parts.find((part) => part.type === type)?.value as string;
  return {
    day: `${of("month")}-${of("day")}`,
    weekday: of("weekday"),
    hour: Number(of("hour")),
    minute: Number(of("minute")),
  };
};

beforeAll(async () => {
  const random = new Random(3);
  for (let minute = FROM; minute < FROM + DAYS * 1440 - 60; minute += 5) {
    const { hour, weekday } = local(minute);
    // Quiet from 3 to 5, busy at 11, half as much on Sundays.
    const load = (hour === 3 || hour === 4 ? 100 : hour === 11 ? 5000 : 1000) * (weekday === "Sun" ? 0.5 : 1);
    rows.push({ minute, bytes: Math.round(load * (0.5 + random.unit())) });
  }
  db = await memoryStore();
  await db.insert(
    "targets",
    rows.map(({ minute, bytes }) => ({
      file_system: "a",
      target: "OST0000",
      minute_unix: minute,
      bytes_read: bytes,
      bytes_written: 0,
    })),
  );
  await db.insert("readings", [
    {
      file_system: "a",
      target: "OST0000",
      kind: "ost_stats",
      from_unix_ns: (FROM - 1) * 6e10,
      to_unix_ns: (FROM + DAYS * 1440 - 61) * 6e10,
    },
  ]);
});
afterAll(() => db.close());

const ask = (more: object = {}) =>
  quietHours(db, {
    window: { from: FROM, to: FROM + DAYS * 1440 },
    condition: "true",
    measure: "bytes",
    zone: ZONE,
    lengthMinutes: 120,
    leastDays: 7,
    busyRatio: 1.5,
    ...more,
  });

describe("quiet hours", () => {
  it("finds what was planted, by the clocks of the zone", async () => {
    const answer = await ask();
    expect(answer.quietest).toMatchObject({ startMinute: 180, endMinute: 300 });
    expect(answer.busyHours).toEqual([11]);
    expect(answer.sureness).toMatchObject({ verdict: "sure" });
    expect(answer.quieterBy).toBeGreaterThan(0.8);
    expect(answer.weekdays[6]?.median as number).toBeLessThan(0.7 * (answer.weekdays[0]?.median as number));
  });

  it("has medians and percentiles as loops do", async () => {
    const { hours, quietest } = await ask();
    const perDay = new Map<string, number>();
    for (const { minute, bytes } of rows) {
      const { day, hour } = local(minute);
      perDay.set(`${hour} ${day}`, (perDay.get(`${hour} ${day}`) ?? 0) + bytes);
    }
    for (let hour = 0; hour < 24; hour++) {
      const values = [...perDay].filter(([key]) => key.startsWith(`${hour} `)).map(([, value]) => value);
      expect(hours[hour]?.days, `hour ${hour}`).toBe(values.length);
      expect(hours[hour]?.median).toBeCloseTo(quantileOf(values, 0.5), 6);
      expect(hours[hour]?.p90).toBeCloseTo(quantileOf(values, 0.9), 6);
    }
    // The hour from 2 to 3 was left out on one day.
    expect([hours[2]?.days, hours[12]?.days]).toEqual([DAYS - 1, DAYS]);
    const windows = new Map<string, number>();
    for (const [key, value] of perDay) {
      const [hour, day] = key.split(" ") as [string, string];
      if (hour === "3" || hour === "4") windows.set(day, (windows.get(day) ?? 0) + value);
    }
    expect(quietest?.median).toBeCloseTo(quantileOf([...windows.values()], 0.5), 6);
  });

  it("takes time without readings as not seen, not as quiet", async () => {
    const hole = await memoryStore();
    const kept = rows.filter(({ minute }) => local(minute).hour !== 20);
    await hole.insert(
      "targets",
      kept.map(({ minute, bytes }) => ({
        file_system: "a",
        target: "OST0000",
        minute_unix: minute,
        bytes_read: bytes,
        bytes_written: 0,
      })),
    );
    const stretches: { from: number; to: number }[] = [];
    for (const { minute } of kept) {
      const last = stretches.at(-1);
      if (last !== undefined && minute - last.to <= 5) last.to = minute;
      else stretches.push({ from: minute - 5, to: minute });
    }
    await hole.insert(
      "readings",
      stretches.map(({ from, to }) => ({
        file_system: "a",
        target: "OST0000",
        kind: "ost_stats",
        from_unix_ns: from * 6e10,
        to_unix_ns: (to + 4) * 6e10,
      })),
    );
    const answer = await quietHours(hole, {
      window: { from: FROM, to: FROM + DAYS * 1440 },
      condition: "true",
      measure: "bytes",
      zone: ZONE,
      lengthMinutes: 60,
      leastDays: 7,
      busyRatio: 1.5,
    });
    hole.close();
    expect(answer.hours[20]?.days).toBe(0);
    expect([180, 195, 210, 225, 240]).toContain(answer.quietest?.startMinute);
  });

  it("scales hours of which some targets were read, and drops those of which few were", async () => {
    const some = await memoryStore();
    const names = ["OST0000", "OST0001", "OST0002", "OST0003"];
    // Of four equal targets three are read in the hour from 6 to 7, and one from 8 to 9, on each of ten days.
    const reads = (target: number, hour: number) =>
      hour === 6 ? target !== 0 : hour === 8 ? target === 0 : true;
    const [loads, stretches]: Record<string, string | number>[][] = [[], []];
    for (const [target, name] of names.entries())
      for (let hour = 0; hour < 240; hour++) {
        if (!reads(target, hour % 24)) continue;
        const minute = 28_800_000 + 60 * hour;
        const place = { file_system: "a", target: name };
        for (let at = minute; at < minute + 60; at += 15)
          loads?.push({ ...place, minute_unix: at, bytes_read: 1000, bytes_written: 0 });
        stretches?.push({
          ...place,
          kind: "ost_stats",
          from_unix_ns: (minute - 1) * 6e10,
          to_unix_ns: (minute + 59) * 6e10,
        });
      }
    await some.insert("targets", loads ?? []);
    await some.insert("readings", stretches ?? []);
    const window = { from: 28_800_000, to: 28_800_000 + 14_400 };
    const { hours } = await quietHours(some, {
      window,
      condition: "true",
      measure: "bytes",
      zone: "UTC",
      lengthMinutes: 60,
      leastDays: 7,
      busyRatio: 1.5,
    });
    some.close();
    expect(hours.map(({ median }) => median).filter((_, hour) => hour !== 8)).toEqual(
      new Array(23).fill(16_000),
    );
    expect(hours[8]?.days).toBe(0);
  });

  it("does not name hours without enough days, nor when hours do not differ", async () => {
    expect((await ask({ window: { from: FROM, to: FROM + 3 * 1440 } })).sureness.verdict).toBe(
      "not enough data",
    );
    const flat = await memoryStore();
    const random = new Random(11);
    await flat.insert(
      "targets",
      Array.from({ length: 30 * 96 }, (_, i) => ({
        file_system: "a",
        target: "OST0000",
        minute_unix: FROM + 15 * i,
        bytes_read: random.below(1e6),
        bytes_written: 0,
      })),
    );
    const answer = await quietHours(flat, {
      window: { from: FROM, to: FROM + 30 * 1440 },
      condition: "true",
      measure: "bytes",
      zone: "UTC",
      lengthMinutes: 120,
      leastDays: 7,
      busyRatio: 1.5,
    });
    flat.close();
    expect(answer.sureness.verdict).toBe("not sure");
  });

  it("refuses centuries in one line, as one wrong time stamp makes them", async () => {
    const century = quietHours(db, {
      window: { from: FROM - 100 * 365.25 * 1440, to: FROM + DAYS * 1440 },
      condition: "true",
      measure: "bytes",
      zone: "UTC",
      lengthMinutes: 180,
      leastDays: 7,
      busyRatio: 2,
    });
    await expect(century).rejects.toThrow(
      "the time from 1924-03-19T23:00 to 2024-04-08T23:00 is 100 years long; choose at most 20 with --from and --to",
    );
  });

  it("knows the chance of a coin", () => {
    expect(coinTail(10, 9)).toBeCloseTo(11 / 1024, 12);
    expect(coinTail(10, 0)).toBe(1);
    expect(coinTail(3, 3)).toBeCloseTo(1 / 8, 12);
  });
});

describe("times", () => {
  const stored = { from: FROM, to: FROM + 1440 };
  // 2024-03-31T12:00 in Berlin, the day with 23 hours.
  const clock = { zone: ZONE, nowUnix: Date.UTC(2024, 2, 31, 10) / 1000, stored };
  it.each([
    ["2024-03-20T10:00", "2024-03-20T09:00:00Z"],
    ["2024-03-31", "2024-03-30T23:00:00Z"],
    ["2024-04-01", "2024-03-31T22:00:00Z"],
    ["2024-03-20T10:00Z", "2024-03-20T10:00:00Z"],
    ["2024-03-20T10:00+0530", "2024-03-20T04:30:00Z"],
    ["-2h", "2024-03-31T08:00:00Z"],
    ["now-90m", "2024-03-31T08:30:00Z"],
    ["today", "2024-03-30T23:00:00Z"],
    ["yesterday", "2024-03-29T23:00:00Z"],
    ["yesterday+10h", "2024-03-30T09:00:00Z"],
    ["begin+1h", "2024-03-20T00:00:00Z"],
    ["end-1d", "2024-03-19T23:00:00Z"],
    ["1711000000", "2024-03-21T05:46:40Z"],
    ["1711000000000", "2024-03-21T05:46:40Z"],
    ["@1711000000", "2024-03-21T05:46:40Z"],
  ])("%s", (text, utc) => {
    expect(parseTime("--from", text, clock)).toBe(Date.parse(utc) / 1000);
  });

  it.each(["", "2024-02-30", "2024-03-20T25:00", "tomorrow", "2h", "-2x", "12", "20240320"])(
    "refuses %j",
    (text) => {
      expect(() => parseTime("--from", text, clock)).toThrow(/--from.*expected/);
    },
  );

  it("says what the store has when nothing is in that time", () => {
    const asked = { zone: "UTC", nowUnix: 0 };
    expect(() => resolveWindow({ ...asked, from: "2025-01-01" }, stored)).toThrow(
      "no minutes from 2025-01-01T00:00 on: the store has 2024-03-19T23:00 to 2024-03-20T23:00 (UTC)",
    );
    expect(() =>
      resolveWindow({ ...asked, from: "2024-03-20T12:00", to: "2024-03-20T11:00" }, stored),
    ).toThrow(/is not before/);
    expect(
      resolveWindow({ ...asked, from: "2024-03-20T12:00:30", to: "2024-03-20T12:01:01" }, stored),
    ).toEqual({ from: FROM + 780, to: FROM + 782 });
  });

  it("says when a store is empty", async () => {
    const empty = await memoryStore();
    await expect(storedTime(empty)).rejects.toThrow(/no target counters/);
    empty.close();
  });
});
