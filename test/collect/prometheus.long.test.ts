// The whole chain with real programs: a live site, the collector, Prometheus that scrapes it, and questions in PromQL.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cleanEnvironment, prepare, program } from "./kit.ts";
import { promtool } from "./prometheus-kit.ts";

const SECONDS = 150;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-prometheus-"));
  prepare();
}, 120_000);
afterAll(async () => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((ended) => child.once("close", ended) && child.kill("SIGKILL"));
  rmSync(folder, { recursive: true, force: true });
});

function start(command: string, ...words: string[]) {
  const child = spawn(command, words, {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  const told = { err: "" };
  child.stderr?.setEncoding("utf8").on("data", (text) => (told.err += text));
  return { child, told };
}

/** A port that is free now: Prometheus cannot choose one by itself and say which. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

it(
  "Prometheus sees every byte of jobs that come and go once",
  async () => {
    // At 120 times the speed jobs live for half a second to fifteen.
    start(process.execPath, program, "generate", "sitewide", "--output", "tree", "--live", "--speed", "120");
    await expect.poll(() => existsSync(join(folder, "tree/oss0/proc/fs/lustre/obdfilter"))).toBe(true);
    const collecting = ["--root", "tree/oss0", "--dir", "d", "--host", "oss0", "--every", "1s", "--top", "2"];
    const { told } = start(process.execPath, program, "collect", "server", ...collecting, "--metrics", "0");
    await expect.poll(() => told.err).toMatch(/metrics on http:\S+/);
    const page = /http:\/\/(\S+)\/metrics/.exec(told.err)?.[1] as string;
    const config = `global: {scrape_interval: 250ms, scrape_timeout: 250ms}\nscrape_configs:\n  - job_name: plimsoll\n    static_configs: [{targets: ["${page}"]}]\n`;
    writeFileSync(join(folder, "prometheus.yml"), config);
    expect(promtool(["check", "config", join(folder, "prometheus.yml")])).toMatchObject({ code: 0 });
    const address = `127.0.0.1:${await freePort()}`;
    const prometheus = start(
      "prometheus",
      "--config.file=prometheus.yml",
      "--storage.tsdb.path=tsdb",
      `--web.listen-address=${address}`,
    );
    await expect.poll(() => prometheus.told.err, { timeout: 30_000 }).toContain("Server is ready");
    await new Promise((passed) => setTimeout(passed, SECONDS * 1000));
    const ask = async (query: string) => {
      const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(query)}`);
      const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
      return Number(data.result[0]?.value[1]);
    };
    const range = `[${SECONDS - 10}s]`;
    const increase = (family: string) => ask(`sum(increase(plimsoll_${family}_write_bytes_total${range}))`);
    const [jobs, targets] = [await increase("job"), await increase("target_jobs")];
    const names = await ask(
      `count(count by (jobid) (last_over_time(plimsoll_job_write_bytes_total${range})))`,
    );
    console.info(`${names} jobs, increase of jobs / of targets = ${jobs / targets}`);
    expect(names).toBeGreaterThan(8);
    expect(targets).toBeGreaterThan(1e9);
    expect(Math.abs(jobs / targets - 1)).toBeLessThan(0.01);
    const { code, said } = promtool(
      ["check", "metrics"],
      await (await fetch(`http://${page}/metrics`)).text(),
    );
    expect({ code, said }).toEqual({ code: 0, said: "" });
  },
  SECONDS * 1000 + 120_000,
);
