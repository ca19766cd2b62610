import { expect, it } from "vitest";
import type { LiveLoad } from "../../model/index.ts";
import { followLoad } from "./follow.ts";

const load = (toUnix: number): LiveLoad => ({
  ...{ fromUnix: 0, toUnix, targets: [], jobs: [], notices: [], synthetic: false },
});

it("a look that fails is told, the last one stays, and the signal ends it", async () => {
  const end = new AbortController();
  const looks = [() => load(2), () => Promise.reject(new Error("no store")), () => load(4)];
  const read = async () => (looks.shift() as () => LiveLoad | Promise<LiveLoad>)();
  const seen: [number, readonly string[]][] = [];
  for await (const { toUnix, notices } of followLoad(load(1), read, 1, end.signal)) {
    seen.push([toUnix, notices]);
    if (looks.length === 0) end.abort();
  }
  expect(seen).toEqual([
    [1, []],
    [2, []],
    [2, ["no store"]],
    [4, []],
  ]);
});
