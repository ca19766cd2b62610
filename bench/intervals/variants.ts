/**
 * Our side of the interval benchmark: `variants NAME ROUNDS FILE`, in the form of peer.c. FILE holds start, end,
 * start, end, … as doubles. Every variant leaves its input as it was; copies that it needs are in its time.
 */
import { readFileSync } from "node:fs";
import { unionLength, unionLengthOfPairs } from "../../src/base/intervals-kit.ts";

/** Indexes sorted with a comparator, then the sweep. */
function byIndex(starts: Float64Array, ends: Float64Array): number {
  const order = new Uint32Array(starts.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  order.sort((a, b) => (starts[a] as number) - (starts[b] as number));
  let total = 0;
  let start = starts[order[0] as number] as number;
  let end = ends[order[0] as number] as number;
  for (let i = 1; i < order.length; i++) {
    const row = order[i] as number;
    if (end < (starts[row] as number)) {
      total += end - start;
      start = starts[row] as number;
      end = ends[row] as number;
    } else if ((ends[row] as number) > end) end = ends[row] as number;
  }
  return total + end - start;
}

/** Starts and ends sorted apart by the engine's own sort, then walked together with a count of open intervals. */
function twoSorts(starts: Float64Array, ends: Float64Array): number {
  const opened = starts.slice().sort();
  const closed = ends.slice().sort();
  let total = 0;
  let open = 0;
  let from = 0;
  for (let i = 0, j = 0; j < closed.length; ) {
    if (i < opened.length && (opened[i] as number) <= (closed[j] as number)) {
      if (open++ === 0) from = opened[i] as number;
      i++;
    } else {
      if (--open === 0) total += (closed[j] as number) - from;
      j++;
    }
  }
  return total;
}

const [name, rounds, path = ""] = process.argv.slice(2);
const bytes = readFileSync(path);
const pairs = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
const starts = pairs.filter((_, index) => index % 2 === 0);
const ends = pairs.filter((_, index) => index % 2 === 1);
const variants: Readonly<Record<string, () => number>> = {
  columns: () => unionLength(starts, ends).length,
  pairs: () => unionLengthOfPairs(pairs.slice()).length,
  index: () => byIndex(starts, ends),
  "two-sorts": () => twoSorts(starts, ends),
};
const run = variants[name ?? ""];
if (run === undefined) throw new Error(`unknown variant ${name} (have: ${Object.keys(variants).join(", ")})`);
let length = 0;
for (let round = 0; round < Number(rounds); round++) {
  const start = process.hrtime.bigint();
  length = run();
  console.log((Number(process.hrtime.bigint() - start) / 1e9).toFixed(9));
}
console.log(`length ${length.toFixed(3)}`);
