/** What the SQL of a panel gives is what its CSV has. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { Store, type StoreSession } from "../store/index.ts";
import { makeStore, startSite, type TestSite, type TestStore } from "./test-kit.ts";

let store: TestStore;
let site: TestSite;
let open: Store;
let db: StoreSession;
beforeAll(async () => {
  store = await makeStore();
  site = await startSite(store.path);
  open = await Store.open(store.path);
  db = await open.query();
}, 60_000);
afterAll(async () => {
  db.close();
  await open.close();
  await site.close();
  store.remove();
});

async function panelOf(path: string, id: string) {
  const { status, text } = await site.get(path);
  expect(status, text.slice(-400)).toBe(200);
  const panel = text.slice(text.indexOf(`<section class="panel" id="${id}"`));
  const sql = (/SQL<\/summary>[\s\S]*?<code>([\s\S]*?)<\/code>/.exec(panel)?.[1] ?? "")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
  const csv = (await site.get(`${path}${path.includes("?") ? "&" : "?"}csv=${id}`)).text.trim().split("\r\n");
  return { rows: await db.rows(sql), lines: csv.slice(1).map((line) => line.split(",")) };
}

it("hours and weekdays of quiet hours, of whole hours alone", async () => {
  const hours = await panelOf("/quiet", "hours");
  const seen = hours.lines.filter(([, median]) => median !== "");
  expect(seen.length).toBe(3);
  // Nobody saw the first minute whole, so the page scales its hour up.
  const medians = hours.rows.map((row) => Number(row.median));
  expect(medians.slice(1)).toEqual(seen.slice(1).map(([, median]) => Number(median)));
  expect(hours.rows.map((row) => Number(row.days))).toEqual(seen.map(([, , , days]) => Number(days)));
  // Three hours are no day.
  expect((await panelOf("/quiet", "weekdays")).rows).toEqual([]);
  const windows = await panelOf("/quiet", "answer");
  expect(Number(windows.rows[0]?.median)).toBe(Number(windows.lines[0]?.[2]));
});

it.each(["bytes", "metadata", "calls"])("changes by %s", async (order) => {
  const path = `/compare?a=2026-06-01T09:00..2026-06-01T10:00&b=2026-06-01T11:00..2026-06-01T11:30&order=${order}`;
  for (const id of ["users", "jobs", "targets"]) {
    const { rows, lines } = await panelOf(path, id);
    const label = (row: (typeof rows)[number]) => String(row.user_name ?? row.job_id ?? row.target);
    const plain = lines.filter(([name = ""]) => /^\w+$/.test(name));
    expect(plain.length).toBeGreaterThan(1);
    for (const line of plain) {
      const row = rows.find((one) => label(one) === line[0]);
      const [a, b] = line.slice(id === "jobs" ? 2 : 1, id === "jobs" ? 4 : 3).map(Number);
      expect([id, line[0], row?.a_per_hour ?? 0, row?.b_per_hour ?? 0]).toEqual([id, line[0], a, b]);
    }
  }
});

it("servers with their targets and whether they are well", async () => {
  const { rows, lines } = await panelOf("/?span=60m", "servers");
  expect(lines.map(([server]) => server)).toEqual(["oss1"]);
  expect(String(rows[0]?.targets).split("\n")[0]).toBe("MDT0000");
  expect(lines[0]?.join()).toContain("OST0000–0002");
  // Nobody read its health.
  expect([rows[0]?.health, lines[0]?.[1]]).toEqual([null, ""]);
});

it("bursts of a job, jobs of a target and projects of a week, in the order of the panel", async () => {
  const bursts = await panelOf("/job/101", "bursts");
  expect(bursts.rows.map((row) => [Number(row.minutes), Number(row.bytes)])).toEqual(
    bursts.lines.map(([, minutes, bytes]) => [Number(minutes), Number(bytes)]),
  );
  const jobs = await panelOf("/target/fs-OST0001?span=60m", "jobs");
  expect(jobs.rows.length).toBe(3);
  for (const [at, { bytes_written: written }] of jobs.rows.entries())
    expect(jobs.lines[at]).toContain(String(written));
  const projects = await panelOf("/week?of=2026-06-01", "projects");
  expect(projects.rows.map((row) => Number(row.bytes_written))).toEqual(
    projects.lines.slice(0, 3).map((line) => Number(line.at(-3))),
  );
});
