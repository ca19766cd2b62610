/**
 * `npm run bench serve`: the pages of a site over a store with 72 million rows of minutes: each page first and again, then fifty
 * clients that ask for the first page every second.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { addMinute, makeStore } from "./store.ts";

const [root = "."] = process.argv.slice(2);
const ROWS = Number(process.env.PLIMSOLL_BENCH_ROWS ?? 72e6);
const kept = process.env.PLIMSOLL_BENCH_STORE;
const work = kept ?? mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const path = join(work, "store");
const CLIENTS = 50;
const SECONDS = 30;

try {
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`,
  );
  if (!existsSync(path)) await makeStore(path, ROWS);
  await measure();
} finally {
  if (kept === undefined) rmSync(work, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const server = spawn(process.execPath, [join(root, "dist", "main.js"), "serve", "--store", path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await new Promise<string[]>((resolve) =>
      createInterface(server.stdout).once("line", (text) => resolve([text])),
    )) as [string];
    const url = new URL(JSON.parse(line).url);
    const headers = { authorization: `Bearer ${url.searchParams.get("token")}` };
    const ask = async (page: string, tag?: string, more: Record<string, string> = {}) => {
      const began = performance.now();
      const reply = await fetch(new URL(page, url), {
        headers: { ...headers, ...(tag && { "if-none-match": tag }), ...more },
      });
      await reply.text();
      return { ms: performance.now() - began, status: reply.status, tag: reply.headers.get("etag") ?? "" };
    };
    const cpu = () => {
      const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) / 100;
    };
    console.log("page\tfirst ms\tCPU s\tagain ms\tstatus");
    for (const page of [
      "/",
      "/?span=24h",
      "/target/OST0007",
      "/user/user3",
      "/account/project7",
      "/job/1010000",
      "/compare",
      "/store",
      "/quiet",
      "/week",
      "/runs",
      "/files",
    ]) {
      const before = cpu();
      const first = await ask(page);
      const used = cpu() - before;
      const again = await ask(page);
      console.log([page, first.ms.toFixed(0), used.toFixed(2), again.ms.toFixed(0), first.status].join("\t"));
    }
    // A batch more, and people who open pages that were there before it, as soon as the server looks at the manifest again.
    await addMinute(path);
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const page of ["/", "/?span=24h", "/compare", "/week"]) {
      const opened = await ask(page, undefined, { accept: "text/html" });
      const before = cpu();
      const made = await ask(page);
      console.log(
        `${page} after a change: opened in ${opened.ms.toFixed(0)} ms, made anew ${(opened.ms + made.ms).toFixed(0)} ms after it, ${(cpu() - before).toFixed(2)} s of CPU`,
      );
    }
    const times: number[] = [];
    const { tag } = await ask("/");
    const clients = Array.from({ length: CLIENTS }, async (_, at) => {
      await new Promise((resolve) => setTimeout(resolve, (1000 * at) / CLIENTS));
      for (let second = 0; second < SECONDS; second++) {
        // Half of them know the page already, as open pages do.
        const { ms } = await ask("/", at % 2 === 0 ? tag : undefined);
        times.push(ms);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - ms)));
      }
    });
    await Promise.all(clients);
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(1);
    console.log(
      `${CLIENTS} clients each second for ${SECONDS} s: ${times.length} answers, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`,
    );
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1];
    console.log(`peak memory ${(Number(peak) / 1024).toFixed(0)} MB, load ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    server.kill("SIGTERM");
  }
}
