/**
 * The paper's adaptive method without messages, for fast calibration: one writer at a time per target, each group of
 * consecutive ranks to its own target, and a target whose group has nobody waiting takes a waiting writer of the other groups
 * in turn. A test holds it against the protocol itself.
 */

import { AssertionError, assert } from "../../../base/assert.ts";
import { type EventQueue, FIRST_HOST_KIND } from "../../sim/events.ts";
import { type RunResult, type RunSpec, worldOf } from "../../sim/experiments/run.ts";

const START = FIRST_HOST_KIND;

/** Messages between two writes of a group: WRITE_COMPLETE to the sub-coordinator, start to the next writer. */
const HOP_SECONDS = 60e-6;
/** Via the coordinator: two more hops and its service time. */
const ADAPTIVE_HOPS = 4;

export function runTwin(spec: RunSpec, queue?: EventQueue): RunResult {
  const { writers, bytes, targets } = spec;
  const world = worldOf(spec, queue);
  const { storage, queue: events } = world;
  const groups = Math.min(targets, writers);
  const starts = new Float64Array(writers);
  const ends = new Float64Array(writers);
  const places = new Int32Array(writers);
  const next = Int32Array.from({ length: groups }, (_, group) => Math.ceil((group * writers) / groups));
  const stop = Int32Array.from({ length: groups }, (_, group) => Math.ceil(((group + 1) * writers) / groups));
  let turn = 0;
  let left = writers;

  const begin = (target: number, writer: number, hops: number) => {
    places[writer] = target;
    events.push(events.now + hops * HOP_SECONDS, START, writer, target);
  };
  const takeFromOthers = (target: number): void => {
    for (let tried = 0; tried < groups; tried++) {
      const group = turn;
      turn = turn + 1 === groups ? 0 : turn + 1;
      if (next[group]! < stop[group]!) {
        begin(target, next[group]!++, ADAPTIVE_HOPS);
        return;
      }
    }
  };
  storage.onWriteEnd = (token, target) => {
    ends[token] = events.now;
    left--;
    if (next[target]! < stop[target]!) begin(target, next[target]!++, 2);
    else takeFromOthers(target);
  };
  for (let group = 0; group < groups; group++) begin(group, next[group]!++, 1);
  while (left > 0) {
    if (!events.next()) throw new AssertionError(`${left} writers never ended`);
    if (events.kind === START) {
      starts[events.a] = events.now;
      storage.startWrite(events.b, bytes, events.a);
    } else world.handle();
  }
  assert(
    next.every((one, group) => one === stop[group]),
    "every writer of every group has written",
  );
  return { seconds: events.now, bytes: bytes * writers, events: events.taken, starts, ends, targets: places };
}
