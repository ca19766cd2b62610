/**
 * States of a server and its targets: fill level, health, connected clients. All are small files with one value, in
 * different places per release.
 */
import type { SegmentState, StateNumbers } from "../../formats/samples/index.ts";
import { readShort } from "../files.ts";
import { StateFiles } from "../state-files.ts";
import { SmallCounters } from "./small-counters.ts";

/** Interval of unchanged states; capacity changes slowly, and years of it are kept. */
const STATE_EVERY_NS = 300_000_000_000n;
const STATUS_LENGTH_MAX = 200;
const LNET_FIELDS = [
  ...["", "", "lnet_errors", "lnet_sends", "lnet_receives", "", "lnet_drops"],
  ...["lnet_sent_bytes", "lnet_received_bytes", "", "lnet_dropped_bytes"],
];

interface TargetState {
  readonly target: string;
  readonly status: string | undefined;
  /** Evictions count since the target was mounted. */
  readonly numbers: StateNumbers;
}

interface ServerState {
  readonly status: string | undefined;
  /** Counters since the server came up. */
  readonly numbers: StateNumbers;
}

export interface ServerStates {
  readonly server: ServerState;
  readonly targets: readonly TargetState[];
}

export class StateReader {
  readonly counters = new SmallCounters();
  readonly #everyNs: bigint;
  /** Status of the last written state. */
  readonly #written = new Map<string, string | undefined>();
  readonly #files: StateFiles;

  constructor(root: string, everyNs: bigint) {
    this.#everyNs = everyNs;
    this.#files = new StateFiles(root);
  }

  /** Reads and returns all states, and writes those that changed or are due; `targets`: folders on this server. */
  read(targets: readonly string[], nowNs: bigint, write: (state: SegmentState) => void): ServerStates {
    this.#files.list();
    const server = this.#server();
    if (server.status !== undefined || Object.keys(server.numbers).length > 0) {
      const { fromNs, grown, reset } = this.counters.take("", nowNs, counted(server.numbers));
      write({ target: undefined, fromNs, toNs: nowNs, status: server.status, numbers: grown, reset });
    }
    const states = targets.map((target) => this.#target(target));
    for (const state of states) this.#line(state, nowNs, write);
    return { server, targets: states };
  }

  #line({ target, status, numbers }: TargetState, nowNs: bigint, write: (state: SegmentState) => void): void {
    if (status === undefined && Object.keys(numbers).length === 0) return;
    const { evictions, ...rest } = numbers;
    const before = this.counters.states.get(target);
    const isDue = before === undefined || 2n * (nowNs - before.atNs) > 2n * STATE_EVERY_NS - this.#everyNs;
    const isChanged =
      before?.values.evictions !== evictions ||
      !this.#written.has(target) ||
      this.#written.get(target) !== status;
    if (!isDue && !isChanged) return;
    this.#written.set(target, status);
    const { fromNs, grown, reset } = this.counters.take(target, nowNs, counted({ evictions }));
    write({ target, fromNs, toNs: nowNs, status, numbers: { ...rest, ...grown }, reset });
  }

  #target(target: string): TargetState {
    const number = (name: string) => wholeNumber(this.#files.read(target, name));
    const kilobytes = (name: string) => {
      const value = number(name);
      return value === undefined ? undefined : 1024n * value;
    };
    const { status, done, clients } = recoveryOf(this.#files.read(target, "recovery_status"));
    return {
      target,
      status,
      numbers: known({
        bytes_total: kilobytes("kbytestotal"),
        bytes_free: kilobytes("kbytesfree"),
        bytes_available: kilobytes("kbytesavail"),
        inodes_total: number("filestotal"),
        inodes_free: number("filesfree"),
        clients: number("num_exports"),
        evictions: number("eviction_count"),
        recovery_clients: clients,
        recovery_clients_done: done,
      }),
    };
  }

  #server(): ServerState {
    const numbers: Record<string, bigint | undefined> = {};
    const lnet = this.#first(this.#files.lnet)?.trim().split(/\s+/) ?? [];
    if (lnet.length === LNET_FIELDS.length)
      for (const [i, name] of LNET_FIELDS.entries()) if (name !== "") numbers[name] = wholeNumber(lnet[i]);
    for (const path of this.#files.services) {
      const line = /^req_waittime\s+(\d+) samples \[usecs?\]\s+\d+\s+\d+\s+(\d+)/m.exec(
        readShort(path) ?? "",
      );
      if (line === null) continue;
      numbers.requests = (numbers.requests ?? 0n) + (wholeNumber(line[1]) ?? 0n);
      numbers.request_wait_usecs = (numbers.request_wait_usecs ?? 0n) + (wholeNumber(line[2]) ?? 0n);
    }
    return { status: healthOf(this.#first(this.#files.health)), numbers: known(numbers) };
  }

  #first(paths: readonly string[]): string | undefined {
    for (const path of paths) {
      const text = readShort(path);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

const known = (numbers: Readonly<Record<string, bigint | undefined>>): StateNumbers =>
  Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));

const counted = (numbers: Readonly<Record<string, bigint | undefined>>) =>
  known(numbers) as Readonly<Record<string, bigint>>;

/** Below 2^53 kilobytes and 2^63 otherwise: more digits are no number of a server. */
function wholeNumber(text: string | undefined): bigint | undefined {
  const digits = /^\s*(\d{1,18})\s*$/.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** An unhealthy server names its devices before the verdict. */
function healthOf(text: string | undefined): string | undefined {
  const lines = (text ?? "")
    .split("\n")
    .map(printable)
    .filter((line) => line !== "");
  const verdict = lines.at(-1);
  if (verdict === undefined) return undefined;
  return [verdict, ...lines.slice(0, -1)].join("; ").slice(0, STATUS_LENGTH_MAX);
}

function recoveryOf(text: string | undefined) {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(text ?? "")?.[1];
  const [done, all] = (field("completed_clients") ?? "").split("/");
  const connected = field("connected_clients")?.split("/")[1];
  const status = printable(field("status") ?? "").slice(0, STATUS_LENGTH_MAX);
  return {
    status: status === "" ? undefined : status,
    done: wholeNumber(done),
    clients: wholeNumber(all ?? connected),
  };
}

const printable = (text: string) => text.replace(/[\x00-\x1f\x7f]+/g, " ").trim();
