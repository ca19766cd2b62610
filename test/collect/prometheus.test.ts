// What rate() and increase() see of the page: every event once, for every scraper, over jobs that come and go and over restarts.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { metricsPage } from "../../src/collect/metrics/page.ts";
import { PageReaders } from "../../src/collect/metrics/readers.ts";
import { MetricTotals } from "../../src/collect/metrics/totals.ts";
import { ServerCollector } from "../../src/collect/server/collector.ts";
import { FolderFiles } from "../../src/generate/sitewide/live-files.ts";
import { LiveSite } from "../../src/generate/sitewide/live.ts";
import { askPromtool, beginAboveZero, growth, promtool, Recorder } from "./prometheus-kit.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;
const COUNTERS = /^plimsoll_(job|target_jobs|target)_(write_bytes|writes)_total$|^plimsoll_target_disk/;
let place: string;
let folder: string;
let count = 0;

beforeAll(() => {
  place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-collect-prometheus-"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(place, String(count++));
  mkdirSync(folder);
});

/** A server with many short jobs, its collector, and a page that several read. Time is the site's. */
class Scene {
  readonly site: LiveSite;
  readonly host: string;
  seconds = 0;
  readonly #top: number;
  #collector!: ServerCollector;
  #totals!: MetricTotals;
  #readers!: PageReaders;

  constructor(seed: number, top: number) {
    this.#top = top;
    this.site = new LiveSite(
      { startNs: START, clients: 16, osts: 2, jobsPerHour: 900, seed },
      new FolderFiles(join(folder, "tree")),
    );
    this.host = this.site.servers[0] as string;
    this.restart();
    this.sample();
  }

  get nowNs(): bigint {
    return START + BigInt(this.seconds) * SECOND;
  }

  restart(): void {
    this.#readers = new PageReaders(() => 1000 * this.seconds);
    this.#totals = new MetricTotals(this.#top, this.#readers);
    this.#collector = new ServerCollector({
      root: join(folder, "tree", this.host),
      dir: join(folder, "c"),
      host: this.host,
      collector: "test",
      everyNs: 60n * SECOND,
      withBrw: true,
      time: { wallNs: () => this.nowNs, monotonicMs: () => 1000 * this.seconds },
      listener: this.#totals,
      note: () => {},
    });
  }

  sample(): void {
    this.site.advanceTo(this.nowNs);
    this.#collector.sample();
  }

  text(): string {
    const facts = { host: this.host, version: "1", nowNs: this.nowNs };
    return metricsPage(this.#totals, this.#collector.health, facts);
  }

  page(reader: string): string {
    this.#readers.hasRead(reader, this.#readers.samples);
    return this.text();
  }

  /** Lets a second go by at a time. */
  run(seconds: number, each: (second: number) => void): void {
    for (const end = this.seconds + seconds; this.seconds < end; each(this.seconds)) this.seconds++;
  }
}

function expectDisjoint(recorder: Recorder, from = 0): void {
  const { series } = recorder;
  for (const target of ["OST0000", "OST0001"])
    for (const name of ["write_bytes", "writes"]) {
      const of = (family: string) =>
        growth(series, new RegExp(`^plimsoll_${family}_${name}_total\\{.*"${target}"`), from);
      expect(of("job"), `${target} ${name}`).toBe(of("target_jobs"));
      expect(of("target"), `${target} ${name}`).toBe(of("target_jobs"));
      expect(of("job")).toBeGreaterThan(0n);
    }
}

describe("increase() of jobs", () => {
  it("adds up to that of their targets: exactly between scrapes, within 1 % in Prometheus", () => {
    const scene = new Scene(3, 4);
    const [fast, slow] = [new Recorder(COUNTERS), new Recorder(COUNTERS)];
    const random = new Random(5);
    let mostSeries = 0;
    scene.run(2 * 3600, (second) => {
      if (second % 60 === 59) {
        scene.sample();
        const jobs = scene.text().match(/^plimsoll_job_writes_total.*OST0000/gm) ?? [];
        mostSeries = Math.max(mostSeries, jobs.length);
      }
      if (second % 15 === 0) fast.read(scene.page("prometheus a"));
      if (second % 30 === 7) slow.read(scene.page("prometheus b"));
      // Somebody looks now and then.
      if (random.below(400) === 0) scene.page(`curl ${random.below(3)}`);
    });
    const named = [...fast.series.keys()].filter((name) => /^plimsoll_job_writes.*kind="job"/.test(name));
    expect(named.length).toBeGreaterThan(30);
    // However many jobs there are: places, those that have left, and the others.
    expect(mostSeries).toBeLessThanOrEqual(4 + 2 * 4 + 1);
    for (const recorder of [fast, slow]) {
      expect(beginAboveZero(recorder.series)).toEqual([]);
      expectDisjoint(recorder);
    }
    const ratio = (range: string) =>
      `abs(sum(increase(plimsoll_job_write_bytes_total[${range}])) / sum(increase(plimsoll_target_jobs_write_bytes_total[${range}])) - 1) < bool 0.01`;
    askPromtool(folder, fast.series, 15, [
      { expr: ratio("110m"), atSeconds: 7100 },
      { expr: ratio("1h"), atSeconds: 7100 },
      { expr: ratio("1h"), atSeconds: 5000 },
    ]);
    askPromtool(folder, slow.series, 30, [{ expr: ratio("110m"), atSeconds: 7100 }]);
    expect(promtool(["check", "metrics"], scene.text())).toEqual({ code: 0, said: "" });
  });

  it("loses nothing when the collector restarts, or to a scraper that comes late", () => {
    const scene = new Scene(4, 3);
    const [first, late] = [new Recorder(COUNTERS), new Recorder(COUNTERS)];
    scene.run(3000, (second) => {
      if (second % 60 === 59) scene.sample();
      if (second === 1207) scene.restart();
      if (second === 1207 || second === 1210) scene.sample();
      if (second % 10 === 0) first.read(scene.page("prometheus a"));
      if (second > 900 && second % 30 === 7) late.read(scene.page("prometheus b"));
    });
    const targets = (recorder: Recorder) =>
      growth(recorder.series, /^plimsoll_target_write_bytes/) -
      growth(recorder.series, /^plimsoll_target_jobs_write_bytes/);
    expect(targets(first)).toBe(0n);
    expectDisjoint(first);
    // A scraper is waited for from its second scrape on.
    expectDisjoint(late, 1);
    let written = 0n;
    for (const { onTargets } of scene.site.jobs)
      for (const target of ["lustre1-OST0000", "lustre1-OST0001"])
        written += BigInt(onTargets.get(target)?.bytesWritten ?? 0);
    // The last sample was after the last scrape.
    first.read(scene.page("prometheus a"));
    expect(growth(first.series, /^plimsoll_job_write_bytes/)).toBe(written);
  });
});

describe("the examples", () => {
  const examples = join(import.meta.dirname, "../../examples");
  const metrics = () => {
    const scene = new Scene(3, 10);
    scene.page("reader");
    scene.run(60, () => {});
    scene.sample();
    return scene.page("reader");
  };
  const named = (text: string) => [...new Set(text.match(/\bplimsoll_\w+/g))];

  it("of rules are rules of Prometheus, ask for metrics that the page has, and fire when they should", () => {
    const rules = join(examples, "prometheus/rules.yml");
    const { code, said } = promtool(["check", "rules", rules]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/14 rules found/);
    const page = metrics();
    const asked = named(readFileSync(rules, "utf8"));
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter((name) => !page.includes(`# TYPE ${name} `))).toEqual([]);
    const tests = join(examples, "prometheus/rules.test.yml");
    const tested = promtool(["test", "rules", tests]);
    expect(tested.code, tested.said).toBe(0);
    const alerts = [...readFileSync(rules, "utf8").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.filter((name) => !readFileSync(tests, "utf8").includes(`alertname: ${name}`))).toEqual([]);
  });

  it.each(readdirSync(join(examples, "grafana")).filter((name) => name.endsWith(".json")))(
    "of Grafana: %s is a dashboard, and asks for metrics that the page has",
    (name) => {
      const text = readFileSync(join(examples, "grafana", name), "utf8");
      const board = JSON.parse(text);
      expect(board).toMatchObject({ uid: expect.stringMatching(/^plimsoll-/), schemaVersion: 38 });
      const page = metrics();
      expect(named(text).filter((one) => !page.includes(`# TYPE ${one} `))).toEqual([]);
      const places = new Set<string>();
      for (const { id, type, title, gridPos, datasource, targets } of board.panels) {
        expect({ id, type, title }, name).toEqual({
          id: expect.any(Number),
          type: expect.stringMatching(/^(timeseries|stat|bargauge|table)$/),
          title: expect.stringMatching(/./),
        });
        expect(datasource).toEqual({ type: "prometheus", uid: expect.stringMatching(/^\$\{datasource\}$/) });
        expect(targets.length).toBeGreaterThan(0);
        const { x, y, w, h } = gridPos;
        expect(x + w).toBeLessThanOrEqual(24);
        // No two panels on one place.
        for (let column = x; column < x + w; column++)
          for (let row = y; row < y + h; row++) {
            expect(places.has(`${column} ${row}`), `${title} overlaps`).toBe(false);
            places.add(`${column} ${row}`);
          }
      }
    },
  );
});
