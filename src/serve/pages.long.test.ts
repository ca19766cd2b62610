/** Every page over a small store: what it says, its CSV and its SQL, and who may see it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Store } from "../store/index.ts";
import { PAGES } from "./routes.ts";
import { HOSTILE, JOBS, makeStore, startSite, type TestSite, type TestStore } from "./test-kit.ts";

let store: TestStore;
let site: TestSite;
beforeAll(async () => {
  store = await makeStore();
  site = await startSite(store.path);
}, 60_000);
afterAll(async () => {
  await site.close();
  store.remove();
});

/** Every page, with names of its own and with hostile ones. */
const ALL = PAGES.flatMap(({ path }) => {
  if (!path.includes(":")) return [path];
  const names = path.startsWith("/target")
    ? ["OST0001", `fs-OST${HOSTILE}`]
    : path.startsWith("/job")
      ? ["101", JOBS[2].id]
      : path.startsWith("/run")
        ? ["1", "3"]
        : path.startsWith("/account")
          ? ["physics", `a${HOSTILE}`]
          : ["alice", `u${HOSTILE}`];
  return names.map((name) => path.replace(/:\w+/, encodeURIComponent(name)));
});

/** The manifest is no table. */
const FROM_MANIFEST = new Set(["/store tables", "/store growth", "/store batches"]);

describe("pages", () => {
  it.each(ALL)(
    "%s says that its data is synthetic, escapes names, and forbids what it does not need",
    async (path) => {
      const { status, text, headers } = await site.get(path);
      expect(status, text.slice(-600)).toBe(200);
      if (path !== "/studies") expect(text).toMatch(/synthetic/i);
      expect(text).not.toContain("<img");
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
    },
  );

  it.each(ALL)("each panel of %s has its CSV", async (path) => {
    const { text } = await site.get(path);
    const links = [...text.matchAll(/<a href="\?([^"]*)" download>CSV<\/a>/g)].map((match) =>
      (match[1] ?? "").replaceAll("&amp;", "&"),
    );
    for (const link of links) {
      const csv = await site.get(`${path}?${link}`);
      expect(csv.status).toBe(200);
      expect(csv.headers["content-type"]).toContain("text/csv");
      expect(csv.text.split("\r\n").length).toBeGreaterThan(1);
    }
    expect(text).toContain('<section class="panel"');
  });

  it.each(ALL.filter((path) => path !== "/studies"))("SQL of each panel of %s runs", async (path) => {
    const { text } = await site.get(path);
    const panels = text.split('<section class="panel"').slice(1);
    const open = await Store.open(store.path, { memoryBytes: 128 << 20, threads: 1 });
    const db = await open.query();
    try {
      for (const panel of panels) {
        const id = /^ id="([^"]*)"/.exec(panel)?.[1];
        const sql = plain(
          /SQL<\/summary><div class="code"><pre><code>([\s\S]*?)<\/code>/.exec(panel)?.[1] ?? "",
        );
        if (FROM_MANIFEST.has(`${path} ${id}`)) continue;
        expect([path, id, /^\w+/.exec(sql)?.[0]]).toEqual([
          path,
          id,
          sql.startsWith("with ") ? "with" : "select",
        ]);
        await expect(db.rows(sql), `${path} ${id}: ${sql}`).resolves.toBeDefined();
        expect([path, id, /<code>plimsoll /.test(panel)]).toEqual([path, id, true]);
      }
    } finally {
      db.close();
      await open.close();
    }
  });
});

const plain = (html: string): string =>
  html
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

describe("who may see what", () => {
  it("behind a proxy users see their own jobs and sums, administrators everything", async () => {
    const proxied = await startSite(store.path, { userHeader: "x-remote-user", admins: ["root"] });
    try {
      const as = (name: string, path: string) => proxied.get(path, { "x-remote-user": name });
      expect((await proxied.get("/")).status).toBe(403);
      expect((await proxied.get("/", { authorization: "", "x-remote-user": "root" })).status).toBe(401);
      expect((await proxied.get("/", { "x-remote-user": ["alice", "root"] })).status).toBe(400);
      for (const path of ["/user/bob", "/job/102", "/account/biology", "/week", "/store", "/studies"])
        expect([path, (await as("alice", path)).status]).toEqual([path, 403]);
      expect((await as("alice", "/run/2")).status).toBe(404);
      expect((await as("alice", "/run/2/report")).status).toBe(404);
      for (const path of [
        "/",
        "/user/alice",
        "/job/101",
        "/target/OST0000",
        "/compare",
        "/quiet",
        "/runs",
        "/files",
        "/applications",
        "/run/1",
      ]) {
        const { status, text } = await as("alice", path);
        expect([path, status]).toEqual([path, 200]);
        for (const name of ["bob", "biology", "secret-of-bob", "u&lt;img", "a&lt;img", "x&lt;img", "evil"])
          expect(`${path} ${text.includes(name)}`).toBe(`${path} false`);
        for (const [, id] of text.matchAll(/csv=([\w-]+)"/g))
          expect((await as("alice", `${path}?csv=${id}`)).text).not.toMatch(/bob|biology|u<img|a<img|x<img/);
      }
      expect((await as("alice", "/files")).text).toContain("secret-of-alice");
      expect((await as("root", "/files")).text).toContain("secret-of-bob");
      expect((await as("root", "/job/102")).status).toBe(200);
    } finally {
      await proxied.close();
    }
  });
});

describe("an empty store", () => {
  it.each(PAGES.filter(({ path }) => !path.includes(":")).map(({ path }) => path))(
    "%s says that there is nothing yet",
    async (path) => {
      const folder = mkdtempSync(join(tmpdir(), "plimsoll-serve-empty-"));
      await (await Store.create(join(folder, "store"))).close();
      const empty = await startSite(join(folder, "store"));
      try {
        const { status, text } = await empty.get(path);
        const isOfCounters = !["/runs", "/files", "/applications", "/studies", "/store"].includes(path);
        expect([status, text.includes("<h1>No data</h1>")]).toEqual([isOfCounters ? 503 : 200, isOfCounters]);
        expect(text).not.toMatch(/NaN|undefined|Infinity/);
      } finally {
        await empty.close();
        rmSync(folder, { recursive: true });
      }
    },
  );
});
