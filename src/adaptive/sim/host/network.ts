/** Messages between processes on virtual time: latency, order within a pair, and the effects of a fault plan. */
import { assert } from "../../../base/assert.ts";
import { Random } from "../../../base/prng.ts";
import type { Message, MessageKind } from "../../protocol/index.ts";
import type { EventQueue } from "../events.ts";
import type { NetworkFaults } from "./faults.ts";

interface NetworkSetting {
  readonly queue: EventQueue;
  /** Event kind of arriving messages; `a` is their slot. */
  readonly kind: number;
  readonly ranks: number;
  readonly latencySeconds: number;
  /** Service time of a coordinator per message. */
  readonly serviceSeconds: number;
  readonly faults: NetworkFaults | undefined;
  readonly seed: number;
}

/** Stream of random numbers; others are the storage's (storage/draws.ts). */
const STREAM_NETWORK = 101;

export class Network {
  readonly #setting: NetworkSetting;
  readonly #random: Random;
  /** Properties of each message kind, one look-up per message. */
  readonly #kinds = new Map<MessageKind, KindUse>();
  #last: KindUse | undefined;
  /** Messages on their way, by slot. */
  readonly #messages: (Message | undefined)[] = [];
  readonly #from: number[] = [];
  readonly #free: number[] = [];
  /** End of a coordinator's busy time. */
  readonly #busyUntil = new Map<number, number>();
  /** The last arrival between two ranks, if delays could change the order. */
  readonly #lastArrival = new Map<number, number>();

  constructor(setting: NetworkSetting) {
    this.#setting = setting;
    this.#random = Random.stream(setting.seed, STREAM_NETWORK, 0);
  }

  /** Messages sent, by kind. */
  get counts(): ReadonlyMap<MessageKind, number> {
    return new Map(Array.from(this.#kinds.values(), ({ kind, sent }) => [kind, sent]));
  }

  /** `ready`: start time of the receiver. */
  send(from: number, to: number, message: Message, ready: number): void {
    const { queue, latencySeconds, faults } = this.#setting;
    const use = this.#last?.kind === message.kind ? this.#last : this.#useOf(message.kind);
    use.sent++;
    assert(to >= 0 && to < this.#setting.ranks, "a message goes to a rank of the run");
    let arrival = from === to ? queue.now : queue.now + latencySeconds;
    if (arrival < ready) arrival = ready;
    if (use.forCoordinator) {
      const free = this.#busyUntil.get(to) ?? 0;
      if (arrival < free) arrival = free;
      arrival += this.#setting.serviceSeconds;
      this.#busyUntil.set(to, arrival);
    }
    if (faults === undefined) this.#put(from, to, message, arrival);
    else this.#sendFaulty(from, to, message, arrival, faults);
  }

  /** Removes an arrived message; `from` is its sender. */
  take(slot: number): Message {
    const message = this.#messages[slot];
    assert(message !== undefined, "a message arrives once");
    this.#messages[slot] = undefined;
    this.#free.push(slot);
    return message;
  }

  from(slot: number): number {
    return this.#from[slot] as number;
  }

  look(slot: number): Message | undefined {
    return this.#messages[slot];
  }

  #sendFaulty(from: number, to: number, message: Message, soonest: number, faults: NetworkFaults): void {
    const random = this.#random;
    let arrival = soonest;
    if (from !== to && random.unit() < faults.lateShare) arrival += random.unit() * faults.lateSeconds;
    const pair = from * this.#setting.ranks + to;
    arrival = Math.max(arrival, this.#lastArrival.get(pair) ?? 0);
    assert(arrival >= soonest, "a fault makes a message late, never early");
    this.#lastArrival.set(pair, arrival);
    this.#put(from, to, message, arrival);
    if (random.unit() < faults.repeatedShare)
      this.#put(from, to, message, arrival + random.unit() * (faults.lateSeconds + 1e-3));
  }

  #useOf(kind: MessageKind): KindUse {
    let use = this.#kinds.get(kind);
    if (use === undefined) {
      use = { kind, sent: 0, forCoordinator: isForCoordinator(kind) };
      this.#kinds.set(kind, use);
    }
    this.#last = use;
    return use;
  }

  #put(from: number, to: number, message: Message, arrival: number): void {
    const slot = this.#free.pop() ?? this.#messages.length;
    assert(this.#messages[slot] === undefined, "a free slot holds no message");
    this.#messages[slot] = message;
    this.#from[slot] = from;
    this.#setting.queue.push(arrival, this.#setting.kind, slot, to);
  }
}

interface KindUse {
  readonly kind: MessageKind;
  sent: number;
  readonly forCoordinator: boolean;
}

function isForCoordinator(kind: MessageKind): boolean {
  switch (kind) {
    case "group-complete":
    case "file-idle":
    case "writers-busy":
    case "heartbeat":
    case "file-closed":
    case "synced":
    case "trouble":
      return true;
    default:
      return false;
  }
}
