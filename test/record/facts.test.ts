/** What a report of a recording knows beside the calls: mounts, ranks of the job, collective calls, and the program. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readJob } from "../../src/inputs/node.ts";
import { Workshop } from "./kit.ts";

const shop = new Workshop();
const memory = mkdtempSync("/dev/shm/plimsoll-facts-");
afterAll(() => {
  shop.remove();
  rmSync(memory, { recursive: true, force: true });
});

/** As the system's own tool says. */
function mountOf(path: string) {
  const { stdout } = spawnSync("findmnt", ["-n", "-o", "FSTYPE,TARGET", "-T", path], { encoding: "utf8" });
  const [fsType = "", mount = ""] = stdout.trim().split(/\s+/);
  return { fsType, mount };
}

it("the file system of each file: its type and where it is mounted", async () => {
  const script = `echo text > ${memory}/m; stat ${memory}/looked > /dev/null 2>&1; cat ${memory}/m > disk`;
  const { folder } = await shop.record(["sh", "-c", script]);
  const { job } = await readJob([folder]);
  const records = [...job.layer("POSIX")];
  for (const path of [join(memory, "m"), shop.path("disk")])
    expect(records.find((one) => one.path === path)).toMatchObject(mountOf(path));
  expect(readFileSync("/proc/self/mountinfo", "utf8")).toContain(" /dev/shm ");
});

it("ranks of the job, also those that do no I/O", async () => {
  const words = ["env", "PMI_RANK=0", "PMI_SIZE=4", "dd", "if=/dev/zero", `of=${memory}/rank`, "bs=4k"];
  const { folder } = await shop.record([...words, "count=8"]);
  const { job } = await readJob([folder]);
  expect(job.ranks).toBe(4);
  expect([...job.layer("POSIX")].find(({ path }) => path === join(memory, "rank"))).toMatchObject({
    ...{ ranks: 1, shared: false, writes: 8 },
  });
});

it("the program that did the I/O, where a process became another", async () => {
  mkdirSync(shop.path("exec"));
  const script = "echo abc > a; exec dd if=a of=b bs=1 status=none";
  const { folder, processes } = await shop.record(["sh", "-c", script], { cwd: shop.path("exec") });
  expect(new Set(processes.map(({ pid }) => pid)).size).toBe(1);
  expect(processes).toHaveLength(2);
  const { job } = await readJob([folder]);
  expect(JSON.stringify(job.runs)).toContain("dd if=a of=b bs=1");
});
