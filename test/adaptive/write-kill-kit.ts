/** kill -9 of processes of a write: whatever happens, the dataset is whole in the end, after --resume where it was not. */
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import {
  isRunning,
  leftRunning,
  makePlace,
  type Place,
  plimsoll,
  start,
  writersOf,
  writing,
} from "./write-kit.ts";

const [RANKS, ROWS, COLUMNS, WRITERS] = [8, 64, 256, 4];
const total = RANKS * ROWS * COLUMNS;

const ENDLESS = [
  ...["--method", "static"],
  ...["--target-speed", "0:700K", "--target-speed", "1:1K", "--target-speed", "2:1K"],
];

/** Who dies: processes by number. 0 leads the first group and everything, 1 to 3 lead groups or only write. */
export const ROLES = {
  coordinator: (_: number, writers: readonly number[]) => writers.slice(0, 1),
  "sub-coordinator": (_: number, writers: readonly number[]) => writers.slice(2, 3),
  writer: (_: number, writers: readonly number[]) => writers.slice(3, 4),
  "coordinator and another": (_: number, writers: readonly number[]) => writers.slice(0, 2),
  launcher: (launcher: number) => [launcher],
  all: (launcher: number, writers: readonly number[]) => [launcher, ...writers],
} as const;
export type Role = keyof typeof ROLES;

/** When they die. */
export interface Moment {
  /** As soon as the processes are there, or when the first data is on a target. */
  readonly from: "start" | "data";
  /** So much later. */
  readonly delayMs: number;
}

export interface Kill {
  readonly role: Role;
  readonly policy: "plimsoll" | "paper";
  /** The write cannot end before the kill, nor without it: two targets take next to nothing. */
  readonly endless?: boolean;
  readonly moment: Moment;
  /** For messages. */
  readonly what: string;
}

/** How a kill ended. */
export type Outcome = "complete all the same" | "absent, completed by --resume" | "had ended before";

/** A write takes about half a second from the first data on; the end is the same at whatever moment the kill comes. */
export async function killOnce(
  folder: string,
  { role, policy, moment, what, endless }: Kill,
): Promise<Outcome> {
  const place = makePlace(folder, { targets: 3, ranks: RANKS, rows: ROWS, columns: COLUMNS });
  const words = writing(place, COLUMNS, "--writers", String(WRITERS), "--policy", policy);
  const { child, ended } = start([...words, ...(endless ? ENDLESS : ["--base-speed", "700K"])]);
  let done = false;
  void ended.then(() => (done = true));
  const writers = await waitFor(place, moment, () => done);
  const struck = ROLES[role](child.pid as number, writers).filter((pid) => !done && kill(pid));
  const end = await ended;
  // The system ends them when the launcher is gone; nobody waits for the dead for minutes.
  while (writers.some(isRunning)) await sleep(20);
  const complete = existsSync(place.dataset);
  const orphaned = role === "launcher" || role === "all";
  if (!orphaned) expect(end.code, `${what}: ${end.err}`).toBe(complete ? 0 : 1);
  // --resume must be right in either case.
  const resumed = plimsoll(...words, "--resume", "--json");
  expect(resumed.code, `${what}: ${resumed.err}`).toBe(0);
  // What was decided and not in place yet counts as complete, too.
  if (complete) expect(JSON.parse(resumed.out).alreadyComplete, what).toBe(true);
  expectWhole(place, what);
  expect(leftRunning(place.folder), what).toEqual([]);
  if (!complete) return "absent, completed by --resume";
  return struck.length === 0 ? "had ended before" : "complete all the same";
}

/** Gives the writer processes at that moment. */
async function waitFor(place: Place, { from, delayMs }: Moment, isDone: () => boolean): Promise<number[]> {
  while (!isDone() && writersOf(place).length < WRITERS) await sleep(2);
  const writers = writersOf(place);
  const hasData = () => place.targets.some((target) => readdirSync(target).length > 0);
  while (from === "data" && !isDone() && !hasData()) await sleep(2);
  await sleep(delayMs);
  return writers;
}

function expectWhole({ dataset }: Place, what: string): void {
  const { bytes, err } = plimsoll("read", dataset, "t", "--raw");
  const found = new Float64Array(Uint8Array.from(bytes).buffer);
  expect(found.length, `${what}: ${err}`).toBe(total);
  expect(
    found.findIndex((value, n) => value !== n),
    `${what}: first wrong value`,
  ).toBe(-1);
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
