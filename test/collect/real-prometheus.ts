/** A live site, collectors on its servers, and a real Prometheus that scrapes them. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { cleanEnvironment, program } from "./kit.ts";
import { promtool } from "./prometheus-kit.ts";

interface Answer {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export class WatchedSite {
  readonly folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-prometheus-"));
  readonly #children = new Map<string, ChildProcess>();
  readonly pages: string[] = [];
  #address = "";

  #start(name: string, command: string, ...words: string[]) {
    const child = spawn(command, words, {
      cwd: this.folder,
      env: cleanEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#children.set(name, child);
    const told = { err: "" };
    child.stderr?.setEncoding("utf8").on("data", (text) => (told.err += text));
    return told;
  }

  /** At 120 times the speed jobs live for half a second to fifteen. */
  async live(): Promise<void> {
    const live = ["generate", "sitewide", "--output", "tree", "--live", "--speed", "120"];
    this.#start("live", process.execPath, program, ...live);
    await expect.poll(() => existsSync(join(this.folder, "tree/oss0/proc/fs/lustre/obdfilter"))).toBe(true);
  }

  async collect(host: string, ...more: string[]): Promise<void> {
    const collecting = ["--root", `tree/${host}`, "--dir", `d-${host}`, "--host", host, "--every", "1s"];
    const words = ["collect", "server", ...collecting, "--metrics", "0", ...more];
    const told = this.#start(host, process.execPath, program, ...words);
    await expect.poll(() => told.err, { timeout: 30_000 }).toMatch(/metrics on http:\S+/);
    this.pages.push(/http:\/\/(\S+)\/metrics/.exec(told.err)?.[1] as string);
  }

  async prometheus(rules?: string): Promise<void> {
    const targets = this.pages.map((page) => JSON.stringify(page)).join(", ");
    const config = [
      "global: {scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 1s}",
      ...(rules === undefined ? [] : ["rule_files: [rules.yml]"]),
      `scrape_configs: [{job_name: plimsoll, static_configs: [{targets: [${targets}]}]}]\n`,
    ];
    if (rules !== undefined) writeFileSync(join(this.folder, "rules.yml"), rules);
    writeFileSync(join(this.folder, "prometheus.yml"), config.join("\n"));
    expect(promtool(["check", "config", join(this.folder, "prometheus.yml")])).toMatchObject({ code: 0 });
    this.#address = `127.0.0.1:${await freePort()}`;
    const setting = ["--config.file=prometheus.yml", "--storage.tsdb.path=tsdb"];
    const listen = `--web.listen-address=${this.#address}`;
    const told = this.#start("prometheus", "prometheus", ...setting, listen);
    await expect.poll(() => told.err, { timeout: 30_000 }).toContain("Server is ready");
  }

  async #api<T>(path: string): Promise<T> {
    const answer = await fetch(`http://${this.#address}/api/v1/${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
    expect(status, `${path}: ${error}`).toBe("success");
    return data;
  }

  async ask(query: string): Promise<readonly Answer[]> {
    return (await this.#api<{ result: Answer[] }>(`query?query=${encodeURIComponent(query)}`)).result;
  }

  async number(query: string): Promise<number> {
    return Number((await this.ask(query))[0]?.value[1]);
  }

  /** Names of alerts that fire now. */
  async firing(): Promise<string[]> {
    const { alerts } = await this.#api<{ alerts: { state: string; labels: { alertname: string } }[] }>(
      "alerts",
    );
    const names = alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname);
    return [...new Set(names)].sort();
  }

  /** Ends one of the programs. */
  async stop(name: string): Promise<void> {
    const child = this.#children.get(name);
    if (child !== undefined && child.exitCode === null && child.signalCode === null)
      await new Promise((ended) => child.once("close", ended) && child.kill("SIGKILL"));
  }

  async close(): Promise<void> {
    for (const name of this.#children.keys()) await this.stop(name);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A port that is free now: Prometheus cannot choose one by itself and say which. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
