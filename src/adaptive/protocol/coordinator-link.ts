/** A sub-coordinator's line to the coordinator: who that is, and numbers on messages so that repeats are seen. */
import { assert } from "../../base/assert.ts";
import { coordinatorOfEpoch } from "./ids.ts";
import type { CoordinatorNews, CoordinatorOrder, Writable } from "./message.ts";
import type { Effects, Rank, Seconds } from "./step.ts";

type WithoutHeader<T> = T extends unknown ? Omit<T, "group" | "epoch" | "serial" | "waitingBytes"> : never;
export type News = WithoutHeader<CoordinatorNews>;

export class CoordinatorLink {
  readonly group: number;
  readonly epoch: number;
  coordinator: Rank;
  coordinatorEpoch: number;
  /** When the coordinator last gave a sign of life. */
  heardAt: Seconds = 0;
  #serial = 0;
  #lastSerial = -1;

  constructor(group: number, epoch: number, coordinator: Rank, coordinatorEpoch: number) {
    assert(coordinatorOfEpoch(epoch) === coordinatorEpoch, "a coordinator gives epochs of its own");
    this.group = group;
    this.epoch = epoch;
    this.coordinator = coordinator;
    this.coordinatorEpoch = coordinatorEpoch;
  }

  /** `news` is the caller's no more: it gets its header where it is, since a copy costs more than the rest of a message. */
  tell(news: News, waitingBytes: number, out: Effects): void {
    assert(waitingBytes >= 0, "waiting bytes are counted, never owed");
    const message = news as Writable<CoordinatorNews>;
    message.group = this.group;
    message.epoch = this.epoch;
    message.serial = this.#serial++;
    message.waitingBytes = waitingBytes;
    out.send(this.coordinator, message);
  }

  /** Whether this is a later coordinator than the one known. */
  follow(coordinator: Rank, coordinatorEpoch: number, now: Seconds): boolean {
    if (coordinatorEpoch <= this.coordinatorEpoch) return false;
    this.coordinator = coordinator;
    this.coordinatorEpoch = coordinatorEpoch;
    this.heardAt = now;
    this.#lastSerial = -1;
    return true;
  }

  /** What to make of an order: `new` when it is the first of a later coordinator. */
  judge(from: Rank, order: CoordinatorOrder, now: Seconds): "stale" | "repeated" | "fresh" | "new" {
    if (order.coordinatorEpoch < this.coordinatorEpoch) return "stale";
    const isNew = this.follow(from, order.coordinatorEpoch, now);
    if (order.serial <= this.#lastSerial) return "repeated";
    this.#lastSerial = order.serial;
    this.heardAt = now;
    return isNew ? "new" : "fresh";
  }
}
