/** A rank of the benchmark: what `peer.c` does, through koffi, with the same words and the same output. */
import type { Direction } from "../../../src/launch/mpi/files.ts";
import { connectMpi } from "../../../src/launch/mpi/index.ts";
import { performMpiio } from "../../../src/launch/mpi/test-kit.ts";
import type { NcioMethod } from "../../../src/model/ncio.ts";
import { type AccessCase, patternOf } from "../../../src/ncio/pattern/index.ts";

const [path, repeats, ...cases] = process.argv.slice(2) as [string, string, ...string[]];
const world = await connectMpi();
for (const words of cases) await perform(words);
await world.close();

async function perform(words: string): Promise<void> {
  const [shape, method, direction, ...numbers] = words.split(",") as [
    AccessCase,
    NcioMethod,
    Direction,
    ...string[],
  ];
  const [count, size, spacing] = numbers.map(Number) as [number, number, number];
  const pattern = patternOf({ pattern: "ncio", case: shape, count, size, spacing, ranks: world.size });
  const length = shape.startsWith("nc-") ? (count - 1) * spacing + size : count * size;
  const buffer = new Uint8Array(length).fill(world.rank + 1);
  const before = process.cpuUsage();
  const { seconds } = await performMpiio({
    communicator: world,
    path,
    access: pattern.access(world.rank),
    buffer,
    direction,
    method,
    sync: false,
    repeats: Number(repeats),
  });
  const { user, system } = process.cpuUsage(before);
  await report("seconds", seconds);
  await report("cpu", [(user + system) / 1e6]);
}

/** Prints the greatest value over all ranks of each repeat. */
async function report(name: string, values: readonly number[]): Promise<void> {
  const all = await world.gather(new Uint8Array(Float64Array.from(values).buffer), 0);
  const columns = all?.map((bytes) => new Float64Array(bytes.buffer, bytes.byteOffset, values.length));
  if (columns === undefined) return;
  const slowest = values.map((_, i) => Math.max(...columns.map((one) => one[i] as number)));
  console.log([name, ...slowest.map((value) => value.toFixed(9))].join(" "));
}
