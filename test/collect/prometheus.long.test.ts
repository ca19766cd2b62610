// The whole chain with real programs: a live site, collectors, Prometheus that scrapes them, questions, alerts and dashboards.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { prepare, root } from "./kit.ts";
import { promtool } from "./prometheus-kit.ts";
import { WatchedSite } from "./real-prometheus.ts";

const SECONDS = 150;
let site: WatchedSite;

beforeAll(() => prepare(), 120_000);
beforeEach(() => {
  site = new WatchedSite();
});
afterEach(() => site.close());

const pass = (seconds: number) => new Promise((passed) => setTimeout(passed, seconds * 1000));

it(
  "Prometheus sees every byte of jobs that come and go once",
  async () => {
    await site.live();
    await site.collect("oss0", "--top", "2");
    await site.prometheus();
    await pass(SECONDS);
    const range = `[${SECONDS - 10}s]`;
    const increase = (family: string) =>
      site.number(`sum(increase(plimsoll_${family}_write_bytes_total${range}))`);
    const [jobs, targets] = [await increase("job"), await increase("target_jobs")];
    const names = await site.number(
      `count(count by (jobid) (last_over_time(plimsoll_job_write_bytes_total${range})))`,
    );
    console.info(`${names} jobs, increase of jobs / of targets = ${jobs / targets}`);
    expect(names).toBeGreaterThan(8);
    expect(targets).toBeGreaterThan(1e9);
    expect(Math.abs(jobs / targets - 1)).toBeLessThan(0.01);
    const page = await (await fetch(`http://${site.pages[0]}/metrics`)).text();
    expect(promtool(["check", "metrics"], page)).toEqual({ code: 0, said: "" });
  },
  SECONDS * 1000 + 120_000,
);

const examples = join(root, "examples");
const boards = readdirSync(join(examples, "grafana")).filter((name) => name.endsWith(".json"));

interface Board {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

/** As Grafana fills it in, with everything chosen. */
const filled = (expr: string) =>
  expr
    .replaceAll("$__rate_interval", "20s")
    .replaceAll("$__range", "40s")
    .replace(/\$(file_system|target)\b/g, ".*");

it("every query of the dashboards has an answer, and alerts fire when there is a reason and else not", async () => {
  await site.live();
  for (const host of ["oss0", "mds0"]) await site.collect(host);
  // The same rules, minutes as seconds.
  const rules = readFileSync(join(examples, "prometheus/rules.yml"), "utf8");
  await site.prometheus(rules.replace(/\b(\d+)m\b/g, "$1s").replace("> 300", "> 5"));
  // Until both pages have been read for as long as the longest range of the dashboards.
  await expect
    .poll(() => site.number("min(count_over_time(plimsoll_collector_samples_total[60s]))"), {
      timeout: 120_000,
      interval: 2000,
    })
    .toBeGreaterThan(170);
  const empty: string[] = [];
  let queries = 0;
  for (const name of boards) {
    const { panels, templating } = JSON.parse(readFileSync(join(examples, "grafana", name), "utf8")) as Board;
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        queries++;
        const found = (await site.ask(filled(expr))).filter(({ value }) => value[1] !== "NaN");
        if (found.length === 0) empty.push(`${name}: ${title}: ${expr}`);
      }
    // Variables take their choices from labels of a metric.
    for (const { query } of templating.list) {
      const asked = (query as { query?: string }).query;
      if (asked === undefined) continue;
      const [, series = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(asked) ?? [];
      expect((await site.ask(`count by (${label}) (${filled(series)})`)).length).toBeGreaterThan(0);
    }
  }
  expect(empty).toEqual([]);
  expect(queries).toBeGreaterThan(30);
  expect(await site.firing()).toEqual([]);

  // Time stands still at the site, and everything goes wrong.
  await site.stop("live");
  const at = (host: string, path: string) => join(site.folder, "tree", host, path);
  const write = (path: string, text: string) => writeFileSync(path, text);
  const ofFirst = filesBelow(at("oss0", "")).filter((one) => one.includes("OST0000/"));
  for (const path of ofFirst) {
    if (/\/(kbytesavail|kbytesfree|filesfree)$/.test(path)) write(path, "1\n");
    if (path.endsWith("/eviction_count")) write(path, "1000\n");
    if (path.endsWith("/recovery_status")) write(path, "status: RECOVERING\nconnected_clients: 0/4\n");
  }
  for (const path of filesBelow(at("oss0", "")).filter((one) => one.endsWith("/health_check")))
    write(path, "NOT HEALTHY\n");
  await site.stop("mds0");
  const expected = ["CollectorSilent", "Evictions", "ServerUnhealthy", "TargetFull", "TargetInodes"];
  // An alert on an increase is over when the increase is.
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        for (const name of await site.firing()) seen.add(name);
        return [...seen];
      },
      { timeout: 90_000, interval: 1000 },
    )
    .toEqual(expect.arrayContaining([...expected, "TargetRecovering"].map((name) => `Plimsoll${name}`)));
}, 400_000);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
