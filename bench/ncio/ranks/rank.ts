/** A rank of the benchmark: what `peer.c` does, through koffi, with the same words and the same output. */
import type { NcioMethod } from "../../../src/model/ncio.ts";
import { connectMpi, type Direction, performMpiio } from "../../../src/launch/mpi/index.ts";
import { type AccessCase, patternOf } from "../../../src/pattern/index.ts";

const [path, shape, method, direction, ...numbers] = process.argv.slice(2) as [
  string,
  AccessCase,
  NcioMethod,
  Direction,
  ...string[],
];
const [count, size, spacing, repeats, sync] = numbers.map(Number) as [number, number, number, number, number];
const world = await connectMpi();
const access = patternOf({ pattern: "ncio", case: shape, count, size, spacing, ranks: world.size }).access(
  world.rank,
);
const length = shape.startsWith("nc-") ? (count - 1) * spacing + size : count * size;
const buffer = new Uint8Array(length).fill(world.rank + 1);
const before = process.cpuUsage();
const { seconds, syncSeconds } = await performMpiio({
  communicator: world,
  path,
  access,
  buffer,
  direction,
  method,
  sync: sync === 1,
  repeats,
});
const { user, system } = process.cpuUsage(before);
await report("seconds", seconds);
if (sync === 1) await report("sync", syncSeconds);
await report("cpu", [(user + system) / 1e6]);
await world.close();

/** Prints the greatest value over all ranks of each repeat. */
async function report(name: string, values: readonly number[]): Promise<void> {
  const all = await world.gather(new Uint8Array(Float64Array.from(values).buffer), 0);
  const columns = all?.map((bytes) => new Float64Array(bytes.buffer, bytes.byteOffset, values.length));
  if (columns === undefined) return;
  const slowest = values.map((_, i) => Math.max(...columns.map((one) => one[i] as number)));
  console.log([name, ...slowest.map((value) => value.toFixed(9))].join(" "));
}
