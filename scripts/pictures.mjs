// `npm run docs:pictures`: the pictures of README and docs/, from real commands in a real browser (Chromium), light and dark.
// Words after it choose some by name.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuild, ensureDependencies, root, runScript, say, SetupError } from "./setup.mjs";

const WRITE =
  "--targets a,b,c,d --workload pixie3d-small -n 32 --target-speed 0:0.125 --base-speed 40M --runs runs.jsonl --report page.html";
const SWEEP =
  "--backend servers --count 1024 --case c-nc --vary size=8:512:4096 --pause 0 --repeats 4 --warm-ups 1";

/** Commands in a folder of their own, the page that they leave, and which part of it: from an element on, or an element. */
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

async function take(browser, name, { lines, page: path, height, element }) {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-picture-"));
  try {
    for (const target of ["a", "b", "c", "d"]) mkdirSync(join(work, target));
    for (const line of lines) plimsoll(work, line);
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport: { width: WIDTH, height }, colorScheme });
      await page.goto(pathToFileURL(join(work, path)).href);
      const file = join(root, "docs", "images", `${name}${colorScheme === "dark" ? "-dark" : ""}.png`);
      if (element === undefined) await page.screenshot({ path: file });
      else await page.locator(element).first().screenshot({ path: file });
      await page.close();
      say(`wrote ${file}`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function plimsoll(cwd, line) {
  const words = [join(root, "dist", "start.cjs"), ...line.split(" ")];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new SetupError(`plimsoll ${line} failed: ${stderr.trim()}`);
}
