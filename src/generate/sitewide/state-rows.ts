/**
 * States of a synthetic site as rows of `target_states` and `servers`: fullness, which grows with what is written and made, one
 * planted eviction with its recovery, and how long requests wait.
 */
import { type RowSink, storedServers, storedTargetStates } from "../../model/index.ts";
import { put, putMissing, putNanoseconds, TableBuffer } from "../reuse/index.ts";
import { READING_SECOND, FILE_SYSTEM } from "./scenario.ts";
import { cellOf, serverName, type TargetCells, targetNames } from "./target-cells.ts";
import type { Site } from "./site.ts";

/** Minutes between two states. */
const STATE_MINUTES = 10;
/** Microseconds that a request waits before a thread takes it. */
const WAIT_USECS = 40;
/** A target of 100 TB for data or 2 TB for names, and what it can hold. */
const BYTES = { OST: 100e12, MDT: 2e12 };
const INODES = { OST: 400e6, MDT: 2e9 };
/** Of what is written, this part stays. */
const KEPT_SHARE = 0.25;
/** Bytes of an object on an OST, and of a file's entry on an MDT. */
const OBJECT_BYTES = 64e6;
const ENTRY_BYTES = 2048;
const CLIENTS = 64;
/** The third state has an eviction on the second OST, whose server recovers and is not healthy then. */
const EVENT = { state: 2, target: 1, evictions: 4, clientsDone: 60, lnetErrors: 3 } as const;

/** How full a target is at first: OSTs between 52 % and 68 %, but one with 94 %; MDTs at 40 %, one with 92 % of its inodes. */
function usedAtFirst(site: Site, target: number): readonly [bytes: number, inodes: number] {
  if (target < site.osts) return [target === FULL_OST ? 0.94 : 0.52 + 0.01 * ((target * 7) % 17), 0.3];
  return [0.4, target === site.osts ? 0.92 : 0.35];
}
const FULL_OST = 3;

/** What is in use, and of what. */
interface Use {
  readonly bytesTotal: number;
  readonly bytesUsed: number;
  readonly inodesTotal: number;
  readonly inodesUsed: number;
}

export class SiteStates {
  readonly rows = { target_states: 0, servers: 0 };
  readonly #site: Site;
  readonly #sink: RowSink;
  readonly #names: readonly string[];
  readonly #servers: readonly string[];
  /** By target, bytes and inodes. */
  readonly #used: Float64Array;
  /** By server since the last state: requests, bytes sent, bytes received. */
  readonly #traffic = new Map<string, [number, number, number]>();
  readonly #states: TableBuffer;
  readonly #hosts: TableBuffer;
  /** Use at the last state. */
  #told: readonly Use[] = [];
  #count = 0;

  constructor(site: Site, sink: RowSink) {
    this.#site = site;
    this.#sink = sink;
    this.#names = targetNames(site);
    this.#servers = this.#names.map((_, target) => serverName(site, target));
    for (const server of this.#servers) this.#traffic.set(server, [0, 0, 0]);
    this.#used = new Float64Array(2 * this.#names.length);
    this.#names.forEach((_, target) => {
      const role = this.#role(target);
      const [bytes, inodes] = usedAtFirst(site, target);
      this.#used.set([Math.round(bytes * BYTES[role]), Math.round(inodes * INODES[role])], 2 * target);
    });
    const constants = { synthetic: 1 };
    this.#states = new TableBuffer(storedTargetStates, 8 * this.#names.length, {
      constants: { ...constants, file_system: FILE_SYSTEM, clients: CLIENTS },
    });
    this.#hosts = new TableBuffer(storedServers, 8 * this.#traffic.size, {
      constants: {
        ...{ ...constants, seconds: 60 * STATE_MINUTES, why: null },
        ...{ lnet_drops: 0, lnet_dropped_bytes: 0 },
      },
    });
  }

  #role(target: number): "OST" | "MDT" {
    return target < this.#site.osts ? "OST" : "MDT";
  }

  /** What a target did in a minute; targets come in their order. `isKept`: a state of this minute becomes rows. */
  add(minute: number, target: number, cells: TargetCells, at: number, isKept: boolean): void {
    const value = (name: string) => cells[at + cellOf(name)] as number;
    const traffic = this.#traffic.get(this.#servers[target] as string) as [number, number, number];
    const used = this.#used;
    let [bytes, inodes, requests] = [0, 0, 0];
    if (this.#role(target) === "OST") {
      bytes = Math.floor(value("bytes_written") * KEPT_SHARE);
      inodes = Math.floor(bytes / OBJECT_BYTES);
      requests = value("reads") + value("writes");
      traffic[1] += value("bytes_read");
      traffic[2] += value("bytes_written");
    } else {
      inodes = value("mknods") - value("unlinks");
      bytes = inodes * ENTRY_BYTES;
      requests = value("metadata_calls");
    }
    traffic[0] += requests;
    const role = this.#role(target);
    const within = (sum: number, most: number) => Math.max(0, Math.min(most, sum));
    used[2 * target] = within((used[2 * target] as number) + bytes, BYTES[role]);
    used[2 * target + 1] = within((used[2 * target + 1] as number) + inodes, INODES[role]);
    if (target === this.#names.length - 1 && (minute + 1) % STATE_MINUTES === 0) this.#sample(minute, isKept);
  }

  #sample(minute: number, isKept: boolean): void {
    this.#told = this.#names.map((_, target) => this.#useOf(target));
    this.rows.target_states += this.#told.length;
    this.rows.servers += this.#traffic.size;
    if (isKept)
      this.#told.forEach((use, target) => {
        this.#state(target, use, minute);
      });
    for (const [server, traffic] of this.#traffic) {
      if (isKept) this.#host(server, traffic, minute);
      traffic.fill(0);
    }
    this.#count++;
  }

  /** At least every hour of the site, for the rows that fit. */
  async flush(): Promise<void> {
    await this.#states.flush(this.#sink);
    await this.#hosts.flush(this.#sink);
  }

  #times(buffer: TableBuffer, row: number, minute: number): void {
    put(buffer.halves("minute_unix"), row, minute);
    const unixMs = (at: number) => 1000 * (60 * at + READING_SECOND);
    if (this.#count === 0) putMissing(buffer.halves("from_unix_ns"), row);
    else putNanoseconds(buffer.halves("from_unix_ns"), row, unixMs(minute - STATE_MINUTES));
    putNanoseconds(buffer.halves("to_unix_ns"), row, unixMs(minute));
  }

  #state(target: number, { bytesTotal, bytesUsed, inodesTotal, inodesUsed }: Use, minute: number): void {
    const buffer = this.#states;
    const row = buffer.rows++;
    const isEvent = this.#count === EVENT.state && target === EVENT.target;
    buffer.texts("target")[row] = this.#names[target] as string;
    buffer.texts("server")[row] = this.#servers[target] as string;
    buffer.texts("recovery")[row] = isEvent ? "RECOVERING" : "COMPLETE";
    this.#times(buffer, row, minute);
    const numbers = {
      ...{ bytes_total: bytesTotal, bytes_free: bytesTotal - bytesUsed },
      ...{ bytes_available: bytesTotal - bytesUsed, inodes_total: inodesTotal },
      inodes_free: inodesTotal - inodesUsed,
      ...{ evictions: isEvent ? EVENT.evictions : 0, recovery_clients: CLIENTS },
      recovery_clients_done: isEvent ? EVENT.clientsDone : CLIENTS,
    };
    for (const [name, value] of Object.entries(numbers)) put(buffer.halves(name), row, value);
  }

  #host(server: string, [requests, sent, received]: readonly [number, number, number], minute: number): void {
    const buffer = this.#hosts;
    const row = buffer.rows++;
    const isEvent = this.#count === EVENT.state && server === this.#servers[EVENT.target];
    buffer.texts("server")[row] = server;
    buffer.texts("health")[row] = isEvent ? "NOT HEALTHY" : "healthy";
    this.#times(buffer, row, minute);
    const numbers = {
      ...{ lnet_errors: isEvent ? EVENT.lnetErrors : 0, lnet_sends: requests, lnet_receives: requests },
      ...{ lnet_sent_bytes: sent, lnet_received_bytes: received },
      ...{ requests, request_wait_usecs: requests * WAIT_USECS },
    };
    for (const [name, value] of Object.entries(numbers)) put(buffer.halves(name), row, value);
  }

  #useOf(target: number): Use {
    const role = this.#role(target);
    const [bytesUsed = 0, inodesUsed = 0] = this.#used.subarray(2 * target, 2 * target + 2);
    return { bytesTotal: BYTES[role], bytesUsed, inodesTotal: INODES[role], inodesUsed };
  }

  /** For answers.json. */
  get planted() {
    const target = this.#names[EVENT.target];
    const event = { ...EVENT, target, server: this.#servers[EVENT.target] };
    const fullest = { bytes: this.#names[FULL_OST], inodes: this.#names[this.#site.osts] };
    const use = Object.fromEntries(this.#names.map((name, at) => [name, this.#told[at]]));
    return {
      everyMinutes: STATE_MINUTES,
      states: this.#count,
      requestWaitUsecs: WAIT_USECS,
      event,
      fullest,
      atEnd: use,
    };
  }
}
