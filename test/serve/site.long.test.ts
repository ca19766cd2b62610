/** The site in Chromium, behind a real nginx, under a thousand connections, and beside an ingest, compactions and a prune. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PAGES } from "../../src/serve/routes.ts";
import {
  END,
  HOSTILE,
  JOBS,
  makeStore,
  startSite,
  type TestSite,
  type TestStore,
  TOKEN,
} from "../../src/serve/test-kit.ts";
import { compactStore, pruneStore, Store } from "../../src/store/index.ts";
import { hasBrowser, launch, root } from "../page/kit.ts";

let store: TestStore;
let site: TestSite;
let browser: Browser | undefined;
beforeAll(async () => {
  store = await makeStore();
  site = await startSite(store.path);
  if (hasBrowser) browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site.close();
  store.remove();
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  target: ["OST0001", `fs-OST${HOSTILE}`],
  job: ["101", JOBS[2].id],
  run: ["1", "3"],
  account: ["physics", JOBS[2].account],
  user: ["alice", JOBS[2].user],
};
const ADDRESSES = PAGES.flatMap(({ path }) => {
  const [, first = "", name] = path.split("/");
  return name === undefined
    ? [path]
    : (NAMES[first] ?? []).map((one) => `/${first}/${encodeURIComponent(one)}`);
});

it.runIf(hasBrowser)(
  "no script of a name runs, no request leaves, nothing is wider than a phone, on any page",
  async () => {
    const context = await (browser as Browser).newContext({ viewport: { width: 390, height: 800 } });
    const page = await context.newPage();
    const trouble: string[] = [];
    const origin = `http://127.0.0.1:${site.port}`;
    page.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:"))
        trouble.push(`request ${request.url()}`);
    });
    page.on("pageerror", (error) => trouble.push(`error ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") trouble.push(`console ${message.text()}`);
    });
    for (const address of ADDRESSES) {
      await page.goto(`${origin}${address}?token=${TOKEN}`);
      await page.locator("html.scripted").waitFor({ state: "attached" });
      expect(page.url()).not.toContain(TOKEN);
      const found = await page.evaluate(() => ({
        hacked: (window as unknown as { hacked?: number }).hacked ?? 0,
        wide: document.documentElement.scrollWidth - innerWidth,
        images: document.querySelectorAll("img").length,
      }));
      expect([address, found]).toEqual([address, { hacked: 0, wide: 0, images: 0 }]);
    }
    expect(trouble).toEqual([]);
    await context.close();
  },
  180_000,
);

it.runIf(hasBrowser)(
  "an open page takes a new burst by itself, and keys lead to other pages",
  async () => {
    const own = await makeStore();
    const live = await startSite(own.path);
    const context = await (browser as Browser).newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${live.port}/?token=${TOKEN}`);
    const before = await page.locator("#load .strip").nth(1).locator(".r b").textContent();
    await own.add(END, 6_000_000_000_000n);
    await page.locator("html[data-refreshed]").waitFor({ state: "attached", timeout: 30_000 });
    await expect
      .poll(() => page.locator("#load .strip").nth(1).locator(".r b").textContent(), { timeout: 30_000 })
      .not.toBe(before);
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.waitForURL(/\/week$/);
    await context.close();
    await live.close();
    own.remove();
  },
  120_000,
);

/** What pages work out beside the numbers of the command: bands, sums of two of its numbers, shares of what it prints. */
const DERIVED = /^(?:seen|hour|.*_p[159]0.*|calls|memory|ratio|perRow|place|.*Usecs|small|perWrite|)$/;
/** The manifest has them, and no command lists it. */
const FROM_MANIFEST = new Set(["/store growth", "/store batches"]);
const numbersIn = (text: string): string[] =>
  (text.match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi) ?? []).map((word) => Number(word).toPrecision(9));
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, word]) => quoted ?? word ?? "");
const plain = (html: string): string =>
  html.replace(
    /&(?:amp|lt|gt|quot|#39);/g,
    (entity) => ({ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" })[entity] ?? "",
  );

it("the command of each panel prints the numbers of its CSV", async () => {
  let compared = 0;
  for (const path of ADDRESSES.filter((one) => one !== "/studies")) {
    const { text } = await site.get(path);
    for (const panel of text.split('<section class="panel" id="').slice(1)) {
      const id = panel.slice(0, panel.indexOf('"'));
      const link = plain(/href="(\?[^"]*)" download/.exec(panel)?.[1] ?? "");
      if (link === "" || FROM_MANIFEST.has(`${path} ${id}`)) continue;
      const command = plain(/command<\/summary>.*?<code>([\s\S]*?)<\/code>/.exec(panel)?.[1] ?? "");
      const words = command.replace(/^plimsoll/, `${process.execPath} ${join(root, "dist/main.js")}`);
      const asJson = / (?:sql|--json) ?/.test(command) ? "" : " --json";
      const { stdout, status, stderr } = spawnSync(
        "bash",
        ["-c", `${words.replace(/ -o \S+$/, "")}${asJson}`],
        { encoding: "utf8" },
      );
      expect
        .soft([path, id, command, status === 0 || id === "alerts", stderr.slice(0, 300)])
        .toEqual([...[path, id, command, true, stderr.slice(0, 300)]]);
      const printed = new Set(numbersIn(stdout));
      const [head = [], ...rows] = (await site.get(`${path}${link}`)).text.trim().split("\r\n").map(cellsOf);
      const missing = rows.flatMap((row) =>
        row.flatMap((cell, at) => {
          if (cell === "" || !Number.isFinite(Number(cell)) || DERIVED.test(head[at] ?? "")) return [];
          compared++;
          return printed.has(Number(cell).toPrecision(9)) ? [] : [`${head[at]} ${cell}`];
        }),
      );
      expect.soft([path, id, missing]).toEqual([path, id, []]);
    }
  }
  expect(compared).toBeGreaterThan(3000);
}, 300_000);

it("a thousand connections are held, and one more client is answered", async () => {
  const sockets = await Promise.all(
    Array.from(
      { length: 1000 },
      () =>
        new Promise<ReturnType<typeof connect>>((resolve, reject) => {
          const socket = connect(site.port, "127.0.0.1", () => resolve(socket));
          socket.on("error", reject);
        }),
    ),
  );
  expect((await site.get("/store")).status).toBe(200);
  for (const socket of sockets) {
    socket.on("error", () => {});
    socket.destroy();
  }
  expect((await site.get("/")).status).toBe(200);
}, 120_000);

it("fifty readers see whole pages while batches come, are compacted and pruned", async () => {
  const own = await makeStore();
  const live = await startSite(own.path);
  let going = true;
  const statuses = new Map<number, number>();
  const paths = ["/", "/target/OST0000", "/user/alice", "/store", "/job/101"];
  const readers = Array.from({ length: 50 }, async (_, at) => {
    while (going) {
      const { status } = await live.get(paths[at % paths.length] as string);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  for (let round = 0; round < 3; round++) {
    await own.add(END + 2 * round, 1_000_000n);
    await own.add(END + 2 * round + 1, 1_000_000n);
    const open = await Store.open(own.path);
    await compactStore(open, { graceMs: 0 });
    if (round === 1)
      await pruneStore(open, { keepMs: { minutes: 2 * 3_600_000 }, graceMs: 0, nowMs: END * 60_000 });
    await open.close();
  }
  going = false;
  await Promise.all(readers);
  expect([...statuses.keys()]).toEqual([200]);
  await live.close();
  own.remove();
}, 180_000);

it("SQL is read-only, in bounds, and only where it is allowed", async () => {
  const open = await startSite(store.path, { sql: true });
  const ask = async (q: string) => (await open.get(`/sql?${new URLSearchParams({ q })}`)).text;
  expect(await ask("select count(*) as n from jobs")).toMatch(/<t[hd][^>]*>3\s/);
  expect(await ask("create table x as select 1")).toContain("not allowed");
  expect(await ask("select * from read_text('/etc/passwd')")).not.toContain("root:");
  expect(await ask("select count(*) from range(100000000) a, range(100000000) b")).toContain(
    "longer than 10 s",
  );
  await open.close();
}, 120_000);

it("a run opens the report on its log, which is made once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-serve-run-"));
  const log = join(folder, "run.darshan");
  copyFileSync(join(root, "test/fixtures/darshan/mpiio4_dxt.darshan"), log);
  const ingest = spawnSync(process.execPath, [
    ...[join(root, "dist/main.js"), "ingest", "--store", join(folder, "store"), log],
  ]);
  expect(ingest.status, String(ingest.stderr)).toBe(0);
  const own = await startSite(join(folder, "store"));
  try {
    const [, id] = /href="run\/(\d+)"/.exec((await own.get("/runs")).text) ?? [];
    expect((await own.get(`/run/${id}`)).text).toContain(`run/${id}/report`);
    const { status, text, headers } = await own.get(`/run/${id}/report`);
    expect([status, text.includes("mpiio")]).toEqual([200, true]);
    // Its script is allowed by its hash alone.
    expect(headers["content-security-policy"]).toMatch(/script-src 'sha256-[^;]*'/);
    expect((await own.get("/run/1/report")).status).toBe(404);
    rmSync(log);
    // Made reports are kept, since the content of a log is in its number.
    expect((await own.get(`/run/${id}/report`)).status).toBe(200);
  } finally {
    await own.close();
    rmSync(folder, { recursive: true });
  }
}, 120_000);

const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
it.runIf(hasNginx)(
  "behind nginx users are who it says, whatever they send themselves",
  async () => {
    const proxied = await startSite(store.path, { userHeader: "x-remote-user", admins: ["root"] });
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-nginx-"));
    const port = await freePort();
    writeFileSync(join(folder, "users"), "alice:{PLAIN}a\nroot:{PLAIN}r\n", { mode: 0o644 });
    // The example's location, with the ports and the users of this test.
    const example = readFileSync(join(root, "examples/nginx/plimsoll.conf"), "utf8");
    const location = /location \/ \{[\s\S]*?\n {4}\}/.exec(example)?.[0] ?? "";
    const conf = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
server { listen 127.0.0.1:${port}; ${location.replace("/etc/nginx/plimsoll.users", `${folder}/users`).replace("127.0.0.1:8600", `127.0.0.1:${proxied.port}`).replace("REPLACE-WITH-THE-TOKEN", TOKEN)} } }`;
    writeFileSync(join(folder, "nginx.conf"), conf);
    const nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
    try {
      const as = async (user: string, path: string, headers: Record<string, string> = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { ...headers, authorization: `Basic ${Buffer.from(user).toString("base64")}` },
        });
      await expect
        .poll(
          () =>
            as("alice:a", "/").then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 20_000 },
        )
        .toBe(200);
      expect((await as("alice:wrong", "/")).status).toBe(401);
      expect((await as("alice:a", "/job/101")).status).toBe(200);
      expect((await as("alice:a", "/job/102")).status).toBe(403);
      expect((await as("alice:a", "/job/102", { "X-Remote-User": "root" })).status).toBe(403);
      expect((await as("root:r", "/job/102")).status).toBe(200);
      expect((await as("root:r", "/week")).status).toBe(200);
    } finally {
      const ended = new Promise((resolve) => nginx.once("exit", resolve));
      nginx.kill("SIGTERM");
      await ended;
      await proxied.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);

const MODULES = "/usr/lib/apache2/modules";
const hasApache = spawnSync("apache2", ["-v"]).status === 0 && existsSync(join(MODULES, "mod_proxy_http.so"));
it.runIf(hasApache)(
  "behind Apache users are who it says, whatever they send themselves",
  async () => {
    const proxied = await startSite(store.path, { userHeader: "x-remote-user", admins: ["root"] });
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-apache-"));
    const port = await freePort();
    const hashOf = (word: string) => `{SHA}${createHash("sha1").update(word).digest("base64")}`;
    writeFileSync(join(folder, "users"), `alice:${hashOf("a")}\nroot:${hashOf("r")}\n`, { mode: 0o644 });
    // The example's location, with the ports and the users of this test.
    const example = readFileSync(join(root, "examples/apache/plimsoll.conf"), "utf8");
    const location = /<Location "\/">[\s\S]*?<\/Location>/.exec(example)?.[0] ?? "";
    const modules = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic"];
    const conf = `ServerRoot ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
DefaultRuntimeDir ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
User nobody
${[...modules, "proxy", "proxy_http", "headers"].map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join("\n")}
${location.replace("/etc/apache2/plimsoll.users", `${folder}/users`).replaceAll("127.0.0.1:8600", `127.0.0.1:${proxied.port}`).replace("REPLACE-WITH-THE-TOKEN", TOKEN)}
`;
    writeFileSync(join(folder, "apache.conf"), conf);
    chmodSync(folder, 0o755);
    const checked = spawnSync("apache2", ["-t", "-f", join(folder, "apache.conf")], { encoding: "utf8" });
    expect(checked.stderr).toContain("Syntax OK");
    const words = ["-DFOREGROUND", "-f", join(folder, "apache.conf")];
    const apache = spawn("apache2", words, { stdio: "ignore" });
    try {
      const as = async (user: string, path: string, headers: Record<string, string> = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { ...headers, authorization: `Basic ${Buffer.from(user).toString("base64")}` },
        });
      await expect
        .poll(
          () =>
            as("alice:a", "/store").then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 20_000 },
        )
        .toBe(403);
      expect((await as("alice:wrong", "/")).status).toBe(401);
      expect((await as("alice:a", "/job/101")).status).toBe(200);
      expect((await as("alice:a", "/job/102", { "X-Remote-User": "root" })).status).toBe(403);
      expect((await as("root:r", "/job/102")).status).toBe(200);
    } finally {
      const ended = new Promise((resolve) => apache.once("exit", resolve));
      apache.kill("SIGTERM");
      await ended;
      await proxied.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
it.runIf(hasSystemd)("systemd takes the unit", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-unit-"));
  const unit = readFileSync(join(root, "examples/systemd/plimsoll-serve.service"), "utf8");
  writeFileSync(join(folder, "plimsoll-serve.service"), unit.replace("/usr/bin/plimsoll", process.execPath));
  const { stderr, status } = spawnSync(
    "systemd-analyze",
    ["verify", join(folder, "plimsoll-serve.service")],
    { encoding: "utf8" },
  );
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([0, ""]);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
