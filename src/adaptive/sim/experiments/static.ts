/** All writers at once, each to a fixed target: IOR with a file per process, and MPI-IO on the targets of one file. */

import { AssertionError } from "../../../base/assert.ts";
import { Random } from "../../../base/prng.ts";
import { type EventQueue, FIRST_HOST_KIND } from "../events.ts";
import { STREAM, sampleSeed } from "../storage/index.ts";
import { checkSpec, type RunResult, type RunSpec, workOf, worldOf } from "./run.ts";

const START = FIRST_HOST_KIND;

/** Writer r writes to target r mod targets. Without `jitter` all start in the same instant, which costs fewer events. */
export function runStatic(spec: RunSpec, queue?: EventQueue, jitter = true): RunResult {
  checkSpec(spec);
  const { writers, bytes, targets } = spec;
  const world = worldOf(spec, queue);
  const { storage, queue: events } = world;
  const starts = new Float64Array(writers);
  const ends = new Float64Array(writers);
  const places = new Int32Array(writers);
  let left = writers;
  storage.onWriteEnd = (token) => {
    ends[token] = events.now;
    left--;
  };
  const work = workOf(spec);
  const window = jitter ? spec.machine.parameters.startJitter : 0;
  const random = Random.stream(sampleSeed(spec.run), STREAM.jitter, 0);
  for (let writer = 0; writer < writers; writer++) {
    places[writer] = writer % targets;
    if (window === 0) storage.startWrite(writer % targets, work, writer);
    else {
      starts[writer] = random.unit() * window;
      events.push(starts[writer] as number, START, writer, 0);
    }
  }
  while (left > 0) {
    if (!events.next()) throw new AssertionError(`${left} writers never ended`);
    if (events.kind === START) storage.startWrite(places[events.a] as number, work, events.a);
    else world.handle();
  }
  return { seconds: events.now, bytes: bytes * writers, events: events.taken, starts, ends, targets: places };
}
