// kill -9 of any process of a write, at random moments. PLIMSOLL_KILLS=200 tries that many of each; a few otherwise.

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { Random } from "../src/base/prng.ts";
import { isRunning, leftRunning, makePlace, plimsoll, start, writersOf, writing } from "./write-kit.ts";

const kills = Number(process.env.PLIMSOLL_KILLS ?? 1);
const seed = Number(process.env.PLIMSOLL_SEED ?? Date.now() % 100_000);
const root = mkdtempSync(join(tmpdir(), "plimsoll-kill-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const [RANKS, ROWS, COLUMNS, WRITERS] = [8, 64, 256, 4];
const total = RANKS * ROWS * COLUMNS;

/** Who dies: processes by number. 0 leads the first group and everything, 1 to 3 lead groups or only write. */
const ROLES: Readonly<Record<string, (launcher: number, writers: readonly number[]) => readonly number[]>> = {
  coordinator: (_, writers) => writers.slice(0, 1),
  "sub-coordinator": (_, writers) => writers.slice(2, 3),
  writer: (_, writers) => writers.slice(3, 4),
  "coordinator and another": (_, writers) => writers.slice(0, 2),
  launcher: (launcher) => [launcher],
  all: (launcher, writers) => [launcher, ...writers],
};

/** How a kill ended. */
type Outcome = "complete all the same" | "absent, completed by --resume" | "had ended before";

it.each(Object.keys(ROLES))(
  `kill -9 of the %s (${kills} times, seed ${seed})`,
  async (role) => {
    const random = Random.stream(seed, Object.keys(ROLES).indexOf(role), 0);
    const counts = new Map<Outcome, number>();
    // A moment after the end hits nobody, and is drawn again.
    for (let [i, left] = [0, kills]; left > 0 && i < 5 * kills + 5; i++) {
      const outcome = await killOnce(role, random, `${role} ${i}, seed ${seed}`);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== "had ended before") left--;
    }
    const each = [...counts].map(([outcome, count]) => `${count} ${outcome}`);
    if (kills > 1) console.log(`kill -9 of the ${role}: ${each.join(", ")}`);
  },
  60_000 + kills * 60_000,
);

async function killOnce(role: string, random: Random, what: string): Promise<Outcome> {
  const place = makePlace(join(root, "place"), { targets: 3, ranks: RANKS, rows: ROWS, columns: COLUMNS });
  const policy = random.unit() < 0.5 ? "plimsoll" : "paper";
  // About half a second of writing.
  const words = writing(
    place,
    COLUMNS,
    "--writers",
    String(WRITERS),
    "--policy",
    policy,
    "--base-speed",
    "700K",
  );
  const { child, ended } = start(words);
  let done = false;
  void ended.then(() => (done = true));
  while (!done && writersOf(place).length < WRITERS) await sleep(2);
  const writers = writersOf(place);
  await waitForData(place.targets, () => done, random.unit() < 0.2);
  await sleep(random.unit() * 900);
  const struck = done
    ? []
    : (ROLES[role] as (typeof ROLES)[string])(child.pid as number, writers).filter(kill);
  const struckAt = Date.now();
  const end = await ended;
  // Well above the silence that counts as death; nobody waits for the dead for minutes.
  expect(Date.now() - struckAt, `${what}: milliseconds to the end`).toBeLessThan(90_000);
  const limit = Date.now() + 10_000;
  while (writers.some(isRunning) && Date.now() < limit) await sleep(20);
  expect(writers.filter(isRunning), `${what}: left running`).toEqual([]);
  const complete = existsSync(place.dataset);
  if (!complete) {
    expect(role === "launcher" || role === "all" || end.code === 1, `${what}: ${end.code} ${end.err}`).toBe(
      true,
    );
    const resumed = plimsoll(...words, "--resume");
    expect(resumed.code, `${what}: ${resumed.err}`).toBe(0);
  } else if (role !== "launcher" && role !== "all") expect(end.code, `${what}: ${end.err}`).toBe(0);
  const { bytes, err } = plimsoll("read", place.dataset, "t", "--raw");
  const found = new Float64Array(Uint8Array.from(bytes).buffer);
  expect(found.length, `${what}: ${err}`).toBe(total);
  expect(
    found.findIndex((value, n) => value !== n),
    `${what}: first wrong value`,
  ).toBe(-1);
  expect(leftRunning(place.folder), what).toEqual([]);
  if (!complete) return "absent, completed by --resume";
  return struck.length === 0 ? "had ended before" : "complete all the same";
}

/** Most moments lie in the writing; some in the start. */
async function waitForData(targets: readonly string[], isDone: () => boolean, early: boolean): Promise<void> {
  while (!early && !isDone() && !targets.some((target) => readdirSync(target).length > 0)) await sleep(2);
}

/** Whether there was something to kill. */
function kill(pid: number): boolean {
  if (!isRunning(pid)) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
