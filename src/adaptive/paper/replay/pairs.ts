/**
 * Fig 3: two tests on the same storage, the second three minutes after the first began. The background load continues in
 * between, so the difference between them shows the persistence of the model's load.
 */
import { AssertionError } from "../../../base/assert.ts";
import { Random } from "../../../base/prng.ts";
import type { ReplayPair } from "../../../model/index.ts";
import { type EventQueue, FIRST_HOST_KIND } from "../../sim/events.ts";
import { type RunSpec, workOf, worldOf } from "../../sim/experiments/run.ts";
import { STREAM, sampleSeed } from "../../sim/storage/index.ts";

const START = FIRST_HOST_KIND;
const PAUSE_OVER = FIRST_HOST_KIND + 1;

/** Between the starts of the two tests, as in the paper. */
const PAUSE_SECONDS = 180;

export function runPair(spec: RunSpec, queue?: EventQueue): ReplayPair {
  const { writers, targets, run, machine } = spec;
  const world = worldOf(spec, queue);
  const { storage, queue: events } = world;
  const work = workOf(spec);
  const random = Random.stream(sampleSeed(run), STREAM.jitter, 0);
  const starts = new Float64Array(writers);
  let times = new Float64Array(writers);
  let left = 0;
  storage.onWriteEnd = (writer) => {
    times[writer] = events.now - (starts[writer] as number);
    left--;
  };
  const test = (): Float64Array => {
    times = new Float64Array(writers);
    left = writers;
    for (let writer = 0; writer < writers; writer++) {
      starts[writer] = events.now + random.unit() * machine.parameters.startJitter;
      events.push(starts[writer] as number, START, writer, 0);
    }
    while (left > 0) {
      if (!events.next()) throw new AssertionError(`${left} writers never ended`);
      if (events.kind === START) storage.startWrite(events.a % targets, work, events.a);
      else if (events.kind < FIRST_HOST_KIND) world.handle();
    }
    return times;
  };
  const first = test();
  events.push(Math.max(events.now, PAUSE_SECONDS), PAUSE_OVER, 0, 0);
  while (events.next() && events.kind !== PAUSE_OVER) world.handle();
  return { sample: run.sample, first, second: test() };
}
