import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alertRules } from "../analyze/load/index.ts";
import { LIMITS } from "./http.ts";
import { addressOf } from "./links.ts";
import { JOBS, makeStore, startSite, type TestSite, type TestStore, TOKEN, END, until } from "./test-kit.ts";

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

/** The others are in pages.long.test.ts. */
const SOME = ["/", `/job/${encodeURIComponent(JOBS[2].id)}`, "/store"];
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let heard = "";
    socket.on("data", (piece) => (heard += piece));
    socket.on("error", () => resolve(heard));
    socket.on("close", () => resolve(heard));
  });

describe("pages", () => {
  it.each(SOME)(
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

  it.each(SOME)("each panel of %s has its CSV", async (path) => {
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

  it("the first page has what who says: shares of users and what no job explains", async () => {
    const { text } = await site.get("/?csv=who-bytes&span=60m");
    const rows = text
      .trim()
      .split("\r\n")
      .map((line) => line.split(","));
    // 1 + 2 + 3 parts of jobs are 6 of the 7 that targets counted.
    expect(rows.find(([name]) => name === "bob")?.[3]).toBe(String(Number((2 / 7).toPrecision(15))));
    expect(rows.find(([name]) => name === "not in job statistics")?.[3]).toBe(
      String(Number((1 / 7).toPrecision(15))),
    );
  });

  it("bars of jobs on a target begin where the window does", async () => {
    const { text } = await site.get("/target/OST0000?span=3h&to=2026-06-01T11:55Z");
    const [, table = ""] = /Jobs on this target, as a table"><table>(.*?)<\/table>/s.exec(text) ?? [];
    const times = [...table.matchAll(/<th scope="row"[^>]*>(?:<bdi>)?(\d\d:\d\d)/g)].map(([, time]) => time);
    expect([times[0], times.at(-1)]).toEqual(["08:55", "11:43"]);
  });

  it("alert rules of a file are judged on the first page, and its command names them", async () => {
    const rules = alertRules(
      [{ id: "bytes-of-one", kind: "user-share", of: "bytes", above: "10 %", over: "1h" }],
      "test",
    );
    const own = await startSite(store.path, { alerts: { rules, file: "/etc/alerts.json" } });
    const { text } = await own.get("/");
    expect(text).toMatch(/accounts for [\d.]+ % of all bytes/);
    expect(text).toContain("--rules /etc/alerts.json");
    expect(text).not.toContain("few-inodes");
    await own.close();
  });

  it("SQL of the load panel gives the sums of its CSV", async () => {
    const { Store } = await import("../store/index.ts");
    const page = await site.get("/?span=60m");
    const sql =
      /<section class="panel" id="load"[\s\S]*?SQL<\/summary><div class="code"><pre><code>([\s\S]*?)<\/code>/
        .exec(page.text)?.[1]
        ?.replaceAll("&gt;", ">")
        .replaceAll("&lt;", "<")
        .replaceAll("&#39;", "'");
    const csv = (await site.get("/?span=60m&csv=load")).text.trim().split("\r\n").slice(1);
    const open = await Store.open(store.path);
    const db = await open.query();
    const rows = await db.rows(sql ?? "");
    db.close();
    await open.close();
    expect(rows.length).toBe(csv.length);
    expect(Number(csv[0]?.split(",")[4])).toBeCloseTo(Number(rows[0]?.write_per_second), 3);
    // 7 + 14 + 21 + 28 + 35 MB of five targets in a minute.
    expect(rows[0]?.write_per_second).toBe(105e6 / 60);
  });

  it("wrong parameters are one clear line", async () => {
    for (const path of [
      "/?span=1y",
      "/compare?a=nonsense",
      "/runs?order=beauty",
      "/?to=never",
      `/?to=${"9".repeat(400)}`,
    ]) {
      const { status, text } = await site.get(path);
      expect([path, status]).toEqual([path, 400]);
      expect(text).toContain("message");
    }
  });

  it("finds jobs, users, accounts and targets", async () => {
    expect((await site.get("/find?q=101")).headers.location).toBe("job/101");
    expect((await site.get("/find?q=alice")).headers.location).toBe("user/alice");
    expect((await site.get("/find?q=physics")).headers.location).toBe("account/physics");
    expect((await site.get("/find?q=OST0001")).headers.location).toBe("target/fs-OST0001");
    expect((await site.get("/find?q=zzz")).status).toBe(404);
  });

  it("names that browsers take for paths have no link", () => {
    expect(addressOf("", "user", "..")).toBeUndefined();
    expect(addressOf("", "user", "a/../b")).toBe("user/a%2F..%2Fb");
  });
});

describe("who may see what", () => {
  it("nobody without the token, whatever they send", async () => {
    for (const headers of [
      { authorization: "" },
      { authorization: "Bearer wrong" },
      { authorization: "", cookie: `plimsoll-${site.port}=x` },
    ])
      expect((await site.get("/", headers)).status).toBe(401);
    expect((await site.get("/?token=wrong", { authorization: "" })).status).toBe(401);
  });

  it("moves the token from the address of a browser into a cookie that no script reads", async () => {
    const first = await site.get(`/week?token=${TOKEN}&of=x`, { authorization: "", accept: "text/html" });
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe("week?of=x");
    const cookie = String(first.headers["set-cookie"]);
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax; Path=\//);
    const then = await site.get("/", { authorization: "", cookie: cookie.split(";")[0] ?? "" });
    expect(then.status).toBe(200);
    expect(then.text).not.toContain(TOKEN);
  });
});

describe("nothing in", () => {
  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "%s is refused",
    async (method) => {
      expect((await site.get("/", {}, method)).status).toBe(405);
    },
  );

  it("HEAD has the headers and no body", async () => {
    const { status, text, headers } = await site.get("/", {}, "HEAD");
    expect([status, text, Number(headers["content-length"]) > 1000]).toEqual([200, "", true]);
  });

  it("no path of a request reaches a file", async () => {
    for (const path of [
      "/../../etc/passwd",
      "/assets/../../package.json",
      "/assets/%2e%2e/package.json",
      "/study/..%2f..",
      "/run/..%2f1/report",
      "//etc/passwd",
      "/%00",
      "/%zz",
    ])
      expect([path, (await site.get(path)).status]).toEqual([path, 404]);
  });

  it("rows of a statement are CSV too", async () => {
    const asking = await startSite(store.path, { sql: true });
    try {
      const page = await asking.get("/sql?q=select+job_id,+user_id+from+jobs+order+by+user_id+limit+1");
      expect(page.text).toContain('csv=answer" download>CSV</a>');
      const csv = await asking.get(
        "/sql?q=select+job_id,+user_id+from+jobs+order+by+user_id+limit+1&csv=answer",
      );
      expect([csv.headers["content-type"], csv.text.trim()]).toEqual([
        "text/csv; charset=utf-8",
        "job_id,user_id\r\n101,1001",
      ]);
    } finally {
      await asking.close();
    }
  });

  it("SQL is not there unless it is allowed", async () => {
    expect((await site.get("/sql?q=select+1")).status).toBe(404);
  });

  it("bodies, huge headers, long addresses and broken requests are refused", async () => {
    expect((await site.get("/", { "content-length": "5" })).status).toBe(413);
    expect((await site.get(`/${"a".repeat(5000)}`)).status).toBe(414);
    const big = await raw(
      site.port,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(LIMITS.headerBytesMax + 100)}\r\n\r\n`,
    );
    expect(big).toContain("431");
    expect(await raw(site.port, "NONSENSE\r\n\r\n")).toContain("400");
    expect(await raw(site.port, "GET / HTTP/1.1\r\n\r\n")).toContain("400");
    expect(await raw(site.port, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")).toBe("");
  });

  it("slow and half-open clients are let go, and others are answered meanwhile", async () => {
    const strict = await startSite(store.path, { limits: { ...LIMITS, headersMs: 300, idleMs: 300 } });
    try {
      const slow = raw(strict.port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      const silent = raw(strict.port, "");
      expect((await strict.get("/store")).status).toBe(200);
      expect(await slow).toMatch(/^$|408/);
      expect(await silent).toMatch(/^$|408/);
    } finally {
      await strict.close();
    }
  });
});

describe("live", () => {
  it("answers 304 until the store changes, and then has the new minute", async () => {
    const own = await makeStore();
    const live = await startSite(own.path);
    try {
      const first = await live.get("/target/OST0000?span=60m");
      const tag = String(first.headers.etag);
      expect((await live.get("/target/OST0000?span=60m", { "if-none-match": tag })).status).toBe(304);
      await own.add(END, 9_000_000_000n);
      // The manifest is looked at four times a second.
      const next = await until(
        () => live.get("/target/OST0000?span=60m", { "if-none-match": tag }),
        ({ status }) => status !== 304,
      );
      expect(next.status).toBe(200);
      const csv = (await live.get("/target/OST0000?span=60m&csv=load")).text.trim().split("\r\n");
      expect(csv.at(-1)?.split(",")[2]).toBe("150000000");
    } finally {
      await live.close();
      own.remove();
    }
  });

  it("a store that vanishes is said, and its return is noticed", async () => {
    const own = await makeStore();
    const live = await startSite(own.path);
    try {
      expect((await live.get("/")).status).toBe(200);
      renameSync(own.path, `${own.path}.away`);
      const gone = await until(
        () => live.get("/"),
        ({ status }) => status !== 200,
      );
      expect([gone.status, gone.text.includes("The store is missing")]).toEqual([503, true]);
      renameSync(`${own.path}.away`, own.path);
      expect((await live.get("/")).status).toBe(200);
    } finally {
      await live.close();
      own.remove();
    }
  });
});

it("stored studies are listed and served with their own policy; a name chooses among them and reaches nothing else", async () => {
  const studies = join(store.path, "..", "studies");
  mkdirSync(join(studies, "reuse"), { recursive: true });
  const html = `<html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>Reuse &amp; more</title></head></html>`;
  writeFileSync(join(studies, "reuse", "report.html"), html);
  const own = await startSite(store.path, { studies });
  try {
    expect((await own.get("/studies")).text).toContain("Reuse &amp; more");
    const { status, headers } = await own.get("/study/reuse");
    expect([status, headers["content-security-policy"]]).toEqual([
      200,
      "default-src 'none'; frame-ancestors 'none'",
    ]);
    expect((await own.get("/study/..%2freuse")).status).toBe(404);
  } finally {
    await own.close();
  }
});
