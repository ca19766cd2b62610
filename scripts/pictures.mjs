// `npm run docs:pictures`: the pictures of README and docs/, from real commands in a real browser (Chromium), light and dark.
// Words after it choose some by name.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuild, ensureDependencies, root, runScript, say, SetupError } from "./setup.mjs";

const WRITE =
  "--targets a,b,c,d --workload pixie3d-small -n 32 --target-speed 0:0.125 --base-speed 40M --runs runs.jsonl --report page.html";
const SWEEP =
  "--backend servers --count 1024 --case c-nc --vary size=8:512:4096 --pause 0 --repeats 4 --warm-ups 1";

/**
 * Commands in a folder of their own, the page that they leave, and which part of it: from an element on, or an element. With `serve` the
 * page is one of a server on that store.
 */
const PICTURES = {
  report: {
    lines: ["demo", "report plimsoll-demo/slow-checkpoint.darshan -o page.html"],
    page: "page.html",
    height: 820,
  },
  page: { lines: ["page -o page.html"], page: "page.html", height: 640 },
  users: {
    lines: [
      "generate sitewide --scale 0.01 --tables --output site",
      "top users --store site/store -o page.html",
    ],
    page: "page.html",
    height: 760,
  },
  paper: {
    lines: [
      "generate sitewide --scale 0.01 --tables --output site",
      "study system --store site/store -o study",
    ],
    page: "study/report.html",
    height: 820,
  },
  serve: {
    lines: ["generate sitewide --scale 0.01 --tables --output site"],
    serve: "site/store",
    page: "/?span=3h&to=2018-06-07T13:30",
    width: 1280,
    height: 1048,
  },
  "serve-job": {
    lines: ["generate sitewide --scale 0.01 --tables --output site"],
    serve: "site/store",
    page: "/job/40000024",
    width: 1280,
    height: 900,
  },
  write: {
    lines: [`write -o static.bp --method static ${WRITE}`, `write -o step.bp ${WRITE}`],
    page: "page.html",
    element: "figure",
    height: 820,
  },
  ncio: {
    lines: [`ncio sweep -o sweep ${SWEEP}`],
    page: "sweep/report.html",
    element: "figure",
    height: 820,
  },
};
const WIDTH = 1180;

await runScript(async () => {
  ensureDependencies();
  await ensureBuild();
  const { chromium } = await import("playwright-core");
  const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--headless=new", "--no-sandbox"] });
  const chosen = process.argv.slice(2);
  try {
    for (const [name, picture] of Object.entries(PICTURES))
      if (chosen.length === 0 || chosen.includes(name)) await take(browser, name, picture);
  } finally {
    await browser.close();
  }
});

async function take(browser, name, { lines, serve, page: path, width = WIDTH, height, element }) {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-picture-"));
  let server;
  try {
    for (const target of ["a", "b", "c", "d"]) mkdirSync(join(work, target));
    for (const line of lines) plimsoll(work, line);
    server = serve === undefined ? undefined : await startServer(join(work, serve));
    const address = server === undefined ? pathToFileURL(join(work, path)).href : server.addressOf(path);
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      await page.goto(address);
      const file = join(root, "docs", "images", `${name}${colorScheme === "dark" ? "-dark" : ""}.png`);
      if (element === undefined) await page.screenshot({ path: file });
      else await page.locator(element).first().screenshot({ path: file });
      await page.close();
      say(`wrote ${file}`);
    }
  } finally {
    await server?.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

async function startServer(store) {
  const words = [join(root, "dist", "start.cjs"), "serve", "--store", store];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const [line] = await Promise.race([once(child.stdout, "data"), ended.then(() => [undefined])]);
  if (line === undefined) throw new SetupError("plimsoll serve ended before it printed its address");
  const { url } = JSON.parse(String(line));
  return {
    addressOf(path) {
      const page = new URL(path, url);
      page.search += `${page.search === "" ? "?" : "&"}${new URL(url).searchParams}`;
      return page.href;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function plimsoll(cwd, line) {
  const words = [join(root, "dist", "start.cjs"), ...line.split(" ")];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new SetupError(`plimsoll ${line} failed: ${stderr.trim()}`);
}
