import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { defaultHistoryPath, History } from "./history.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-history-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const target = join(root, "ost");
mkdirSync(target);

it("mixes what is new with what is known, which fades", () => {
  const history = new History(join(root, "deep", "targets.json"));
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n));
  expect(history.recall([target], day(0))).toEqual([undefined]);
  history.learn([{ target, rate: 100, slots: 2 }], day(0));
  // At once: half and half. A day later: a quarter of the old.
  history.learn([{ target, rate: 200, slots: 3 }], day(0));
  expect(history.recall([target], day(0))[0]).toMatchObject({ rate: 150, slots: 3 });
  history.learn([{ target, rate: 350, slots: 3 }], day(1));
  expect(history.recall([target, root], day(1))).toEqual([expect.objectContaining({ rate: 300 }), undefined]);
  expect(history.recall([target], day(16))).toEqual([undefined]);
});

it("starts over when it is damaged, and never fails", () => {
  const path = join(root, "broken.json");
  writeFileSync(path, "{");
  const history = new History(path);
  history.learn([{ target, rate: 7, slots: 1 }]);
  expect(history.recall([target])[0]?.rate).toBe(7);
  new History(join(path, "below", "a", "file")).learn([{ target, rate: 7, slots: 1 }]);
});

it("is where programs keep their state", () => {
  expect(defaultHistoryPath({ XDG_STATE_HOME: "/s" })).toBe("/s/plimsoll/targets.json");
  expect(defaultHistoryPath({ HOME: "/h" })).toBe("/h/.local/state/plimsoll/targets.json");
});
