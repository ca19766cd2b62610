/** A sub-coordinator's link to the coordinator: its rank, and message numbers to detect repeats. */
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
  /** Time of the coordinator's last message. */
  heardAt: Seconds = 0;
  #serial = 0;
  #lastSerial = -1;

  constructor(group: number, epoch: number, coordinator: Rank, coordinatorEpoch: number) {
    assert(coordinatorOfEpoch(epoch) === coordinatorEpoch, "a coordinator assigns its own epochs");
    this.group = group;
    this.epoch = epoch;
    this.coordinator = coordinator;
    this.coordinatorEpoch = coordinatorEpoch;
  }

  /** Takes ownership of `news` and adds the header in place, since a copy costs more than the rest of a message. */
  tell(news: News, waitingBytes: number, out: Effects): void {
    assert(waitingBytes >= 0, "waiting bytes are never negative");
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

  /** Judges an order: `new` if it is the first of a later coordinator. */
  judge(from: Rank, order: CoordinatorOrder, now: Seconds): "stale" | "repeated" | "fresh" | "new" {
    if (order.coordinatorEpoch < this.coordinatorEpoch) return "stale";
    const isNew = this.follow(from, order.coordinatorEpoch, now);
    if (order.serial <= this.#lastSerial) return "repeated";
    this.#lastSerial = order.serial;
    this.heardAt = now;
    return isNew ? "new" : "fresh";
  }
}
