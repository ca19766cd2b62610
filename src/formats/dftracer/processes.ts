/** Processes of a trace, by process id and host. */
import type { CallSink } from "../../model/index.ts";
import { Interner } from "../text/interner.ts";
import { Num, type TraceEvent, Txt } from "./event.ts";
import { Positions } from "./positions.ts";

export interface TracedProcess {
  readonly pid: number;
  readonly host: string;
  readonly positions: Positions;
  /** What the sink gave; -1 before the first call. */
  number: number;
  rank?: number;
  program?: string;
  command?: string;
  parent?: number;
  startNs: number;
  endNs: number;
}

/** Hosts of one trace that are told apart. */
const HOSTS_MAX = 2 ** 16;

export class Processes {
  readonly #sink: CallSink;
  readonly #hostNamed: (hash: string) => string;
  readonly #filePid: number;
  readonly #hosts = new Interner();
  readonly #hostNames: string[] = [];
  readonly #known = new Map<number, TracedProcess>();
  #last: TracedProcess | undefined;
  #lastKey = Number.NaN;
  /** Whether some event has no process id of its own. */
  hasNoIds = false;

  constructor(sink: CallSink, sourceName: string, hostNamed: (hash: string) => string) {
    this.#sink = sink;
    this.#hostNamed = hostNamed;
    this.#filePid = pidOfName(sourceName);
  }

  of(event: TraceEvent): TracedProcess {
    const given = event.numbers[Num.pid] as number;
    const pid = given > 0 ? given : this.#filePid;
    if (!(given > 0)) this.hasNoIds = true;
    const host = this.#hostOf(event);
    const key = pid * HOSTS_MAX + host;
    if (key === this.#lastKey) return this.#last as TracedProcess;
    let found = this.#known.get(key);
    if (found === undefined) {
      const times = { startNs: Number.NaN, endNs: Number.NaN };
      found = { pid, host: this.#hostNames[host] ?? "", positions: new Positions(), number: -1, ...times };
      this.#known.set(key, found);
    }
    this.#last = found;
    this.#lastKey = key;
    return found;
  }

  /** The number of a process with calls or spans. */
  numberOf(owner: TracedProcess): number {
    if (owner.number < 0) {
      const { pid, host, rank, program, command, parent } = owner;
      owner.number = this.#sink.process({
        pid,
        ...(host !== "" && { host }),
        ...(rank !== undefined && { rank }),
        ...(program !== undefined && { program }),
        ...(command !== undefined && { command }),
        ...(parent !== undefined && { parent }),
      });
    }
    return owner.number;
  }

  /** At the end of the trace: what came after the first call of a process. */
  finish(): void {
    for (const { number, rank, startNs, endNs } of this.#known.values()) {
      if (number < 0) continue;
      const isWhole = startNs <= endNs;
      if (rank === undefined && !isWhole) continue;
      this.#sink.learn?.(number, {
        ...(rank !== undefined && { rank }),
        ...(isWhole && { life: { startNs, endNs } }),
      });
    }
  }

  /** Metadata has no host: it is of the process with this id that came last, or of one without a host. */
  withPid(event: TraceEvent): TracedProcess {
    const given = event.numbers[Num.pid] as number;
    const pid = given > 0 ? given : this.#filePid;
    const alike = [...this.#known.values()].filter((one) => one.pid === pid);
    return alike.at(-1) ?? this.of(event);
  }

  #hostOf(event: TraceEvent): number {
    const text = event.has(Txt.hhash) ? Txt.hhash : Txt.hostname;
    const index = this.#hosts.intern(event.bytes, event.from[text] as number, event.to[text] as number);
    if (this.#hostNames[index] === undefined) {
      const given = event.text(text);
      this.#hostNames[index] = text === Txt.hhash ? this.#hostNamed(given) : given;
    }
    return Math.min(index, HOSTS_MAX - 1);
  }
}

/** `app-4711-preload.pfw`, `trace-3-of-8.pfw.gz`: the number in the name of a file; else one made from the name. */
function pidOfName(name: string): number {
  const base = name.slice(name.lastIndexOf("/") + 1);
  const numbers = base.match(/\d+/g) ?? [];
  const number = Number(/(\d+)-of-\d+/.exec(base)?.[1] ?? numbers.at(-1) ?? Number.NaN);
  if (Number.isSafeInteger(number) && number < 2 ** 32) return number;
  let hash = 0;
  for (const letter of base) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) as number)) >>> 0;
  return hash;
}
