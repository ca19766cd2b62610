/**
 * Odd and broken samples of servers and clients, and what must become of each. Expected differences are the requests that
 * were put in, never what a reader made of the text.
 */
import { type ClientReading, clientReadingText } from "../../formats/samples/index.ts";
import { Entry, LLITE_ORDER, type Release, statsText } from "./entry.ts";
import { TargetCounters } from "./servers.ts";

const SECOND = 1_000_000_000n;
const UTF8 = new TextEncoder();
/** 7 June 2018, 00:00:59 UTC. */
const FIRST = 1_528_329_659;
/** Cases with samples of servers. Each has a target of its own, so that all can be read into one store. */
const CASES = (
  "wide-numbers empty-job-id odd-job-ids latency-lines wrap unknown-counter missing-samples cut-file nul-padding " +
  "server-restart idle-out out-of-order minutes-of-jobs"
).split(" ");
const targetOf = (name: string) => `damage-OST${CASES.indexOf(name).toString(16).padStart(4, "0")}`;

interface DamageFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What one job did on the target up to a reading, since the one before that can be used. */
interface ExpectedDelta {
  readonly job: string;
  readonly unix: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  readonly reads: number;
  readonly writes: number;
}

interface DamageCase {
  readonly name: string;
  readonly about: string;
  readonly files: readonly DamageFile[];
  /** `read`, `read in part` with what is lost, or `not counted` with the reason. */
  readonly outcome: string;
  readonly deltas: readonly ExpectedDelta[];
  /** Of jobs with times: minutes that they touch, minutes with I/O among these, and minutes with I/O after the end. */
  readonly minutes?: Readonly<Record<string, { bins: number; ioMinutes: number; lateMinutes: number }>>;
}

interface Request {
  readonly job: string;
  readonly read?: number;
  readonly written?: number;
}

/** Readings of one target, a minute apart, with the requests before each of them. */
class Story {
  readonly target: TargetCounters;
  readonly release: Release;
  readonly files: DamageFile[] = [];
  readonly deltas: ExpectedDelta[] = [];
  readonly #name: string;
  #unix = FIRST - 60;
  readonly #open = new Map<string, ExpectedDelta>();

  constructor(name: string, release: Release) {
    this.#name = name;
    this.release = release;
    this.target = new TargetCounters(targetOf(name), "OST", BigInt(FIRST - 864_000) * SECOND);
  }

  get unix(): number {
    return this.#unix;
  }

  /** A minute with requests; `change` spoils the text of its reading, and undefined leaves the reading out. */
  minute(requests: readonly Request[], change: (text: string) => Uint8Array | undefined = encode): this {
    this.#unix += 60;
    const nowNs = BigInt(this.#unix - 1) * SECOND;
    for (const { job, read = 0, written = 0 } of requests) {
      const reads = Math.ceil(read / 1_048_576);
      const writes = Math.ceil(written / 1_048_576);
      this.target.data(job, nowNs, read, written, reads, writes);
      const before = this.#open.get(job);
      this.#open.set(job, {
        job,
        unix: this.#unix,
        bytesRead: (before?.bytesRead ?? 0n) + BigInt(read),
        bytesWritten: (before?.bytesWritten ?? 0n) + BigInt(written),
        reads: (before?.reads ?? 0) + reads,
        writes: (before?.writes ?? 0) + writes,
      });
    }
    this.target.expire(BigInt(this.#unix) * SECOND);
    const bytes = change(this.target.jobStats(this.release));
    if (bytes === undefined) return this;
    this.files.push({ path: `${this.#name}/${this.target.name}/${this.#unix}.job_stats`, bytes });
    // Of the first reading nobody knows what came since when.
    if (this.files.length > 1)
      for (const delta of this.#open.values()) this.deltas.push({ ...delta, unix: this.#unix });
    this.#open.clear();
    return this;
  }

  case(about: string, outcome = "read"): DamageCase {
    return { name: this.#name, about, files: this.files, outcome, deltas: this.deltas };
  }
}

const encode = (text: string) => UTF8.encode(text);
const write = (job: string, written: number, read = 0): Request => ({ job, written, read });
const MB = 1_048_576;

export function damagePack(): DamageCase[] {
  return [...odd(), ...broken(), outOfOrder(), minutesOfJobs(), ...clients()];
}

function odd(): DamageCase[] {
  const wide = new Story("wide-numbers", "2.12");
  wide.minute([write("77", 4e15)]).minute([write("77", 3e15, 2e15)]);
  const empty = new Story("empty-job-id", "2.12");
  empty.minute([write("1", MB)]).minute([write("", 3 * MB), write("1", MB)]);
  const ids = new Story("odd-job-ids", "2.12");
  const names = ["bash:0@node1", "kworker/86:1.0", "my prog.1001", "SLURM_JOB10:0:client"];
  ids.minute([write("1", MB)]).minute(names.map((name, i) => write(name, (i + 1) * MB)));
  const latency = new Story("latency-lines", "2.15");
  latency.minute([write("5", 8 * MB, 4 * MB)]).minute([write("5", 16 * MB, MB)]);
  const wrap = new Story("wrap", "2.15");
  const nearEnd = wrap.minute([write("12", MB)], () => undefined).target.jobs.get("12");
  if (nearEnd !== undefined) nearEnd.write.sum = 2n ** 63n - 1000n;
  wrap
    .minute([write("12", 100)])
    .minute([write("12", 3 * MB)])
    .minute([write("12", 5 * MB)]);
  const unknown = new Story("unknown-counter", "2.15");
  const more = (text: string) =>
    encode(text.replace("  punch:", "  warp_drive:      { samples:           3, unit:  reqs }\n  punch:"));
  unknown.minute([write("5", MB)], more).minute([write("5", 2 * MB)], more);
  return [
    wide.case("numbers as wide as their column, with no blank before them"),
    empty.case("I/O without a job id"),
    ids.case("job ids with colons, slashes, blanks and hosts"),
    latency.case("read_bytes and write_bytes in bytes, read and write in microseconds"),
    wrap.case("a sum that goes beyond 2^63 - 1"),
    unknown.case("an unknown counter: kept, and nothing else is affected"),
  ];
}

function broken(): DamageCase[] {
  const missing = new Story("missing-samples", "2.15");
  const none = () => undefined;
  missing
    .minute([write("9", MB)])
    .minute([write("9", 2 * MB)], none)
    .minute([write("9", 4 * MB)], none);
  missing.minute([write("9", 8 * MB)]).minute([write("9", 16 * MB)]);
  const cut = new Story("cut-file", "2.15");
  const both = [write("1", MB), write("2", 2 * MB)];
  cut
    .minute(both)
    .minute([write("1", 4 * MB)], (text) => encode(text.slice(0, text.lastIndexOf("write_bytes") + 60)));
  cut.minute([write("1", MB), write("2", MB)]);
  const padded = new Story("nul-padding", "2.15");
  const pad = (text: string) => {
    const bytes = encode(text);
    const whole = new Uint8Array(Math.ceil(bytes.length / 4096) * 4096);
    whole.set(bytes);
    return whole;
  };
  padded.minute([write("3", MB)], pad).minute([write("3", 5 * MB)], pad);
  const restart = new Story("server-restart", "2.12");
  restart.minute([write("4", 9 * MB)]).minute([write("4", 9 * MB)]);
  restart.target.restart(BigInt(restart.unix) * SECOND);
  restart.minute([write("4", 2 * MB)]).minute([write("4", 3 * MB)]);
  const idle = new Story("idle-out", "2.12");
  idle.minute([write("6", 7 * MB), write("8", MB)]);
  for (let i = 0; i < 12; i++) idle.minute([write("8", MB)]);
  idle.minute([write("6", 2 * MB), write("8", MB)]);
  return [
    missing.case("two readings are missing: their requests belong to the whole gap"),
    cut.case(
      "a reading truncated within a line",
      "read in part: the job of the truncated line has no delta at that reading",
    ),
    padded.case("texts filled up with NUL bytes to 4096"),
    restart.case("a server restart: all counters fall"),
    idle.case("an entry that expired after 600 s and came back at 0"),
  ];
}

/** One text with a reading that comes after a later one. */
function outOfOrder(): DamageCase {
  const story = new Story("out-of-order", "2.15");
  for (let i = 0; i < 4; i++) story.minute([write("1", (i + 1) * MB)]);
  const param = `obdfilter.${story.target.name}.job_stats=\n`;
  const parts = story.files.map(
    ({ bytes }, i) => `${FIRST + 60 * i}\n${param}${new TextDecoder().decode(bytes)}`,
  );
  const [first = "", second = "", third = "", fourth = ""] = parts;
  const deltas = story.deltas
    .filter(({ unix }) => unix !== FIRST + 60)
    .map((delta) => {
      const isThird = delta.unix === FIRST + 120;
      // What the reading before it would have told is in this one.
      return isThird ? { ...delta, bytesWritten: BigInt(2 * MB + 3 * MB), writes: 5 } : delta;
    });
  return {
    name: "out-of-order",
    about: "a reading that arrives after a later one is skipped",
    files: [{ path: "out-of-order/series.txt", bytes: encode(first + third + second + fourth) }],
    outcome: "read in part: the late reading is skipped, and nothing is lost",
    deltas,
  };
}

/** Jobs of one minute, with a gap, and with a request that reaches the server after the end. */
function minutesOfJobs(): DamageCase {
  const story = new Story("minutes-of-jobs", "2.15");
  story.minute([write("50", MB)]).minute([write("51", MB), write("52", MB), write("53", MB)]);
  story
    .minute([write("53", MB)])
    .minute([])
    .minute([write("52", MB), write("53", MB)])
    .minute([]);
  const minute = 60 * Math.floor(FIRST / 60);
  const job = (id: number, start: number, end: number) =>
    `damage|${id}|${id}|eve|7|COMPLETED|${start - 9}|${start}|${end}|${end - start}|2\n`;
  const accounting =
    "Cluster|JobIDRaw|JobID|User|UID|State|Submit|Start|End|ElapsedRaw|NNodes\n" +
    job(51, minute + 65, minute + 100) +
    job(52, minute + 60, minute + 299) +
    job(53, minute + 70, minute + 200);
  const sacct = { path: "minutes-of-jobs/sacct.txt", bytes: encode(accounting) };
  return {
    ...story.case("a job of one minute, one with minutes between, one whose last write came after its end"),
    files: [...story.files, sacct],
    minutes: {
      "51": { bins: 1, ioMinutes: 1, lateMinutes: 0 },
      "52": { bins: 4, ioMinutes: 2, lateMinutes: 0 },
      "53": { bins: 3, ioMinutes: 2, lateMinutes: 1 },
    },
  };
}

function clients(): DamageCase[] {
  const startNs = BigInt(FIRST) * SECOND;
  const endNs = startNs + 600n * SECOND;
  const side = (atNs: bigint, mount: string, written: number) => {
    const entry = new Entry(startNs - 86_400n * SECOND);
    entry.write.add(Math.ceil(written / MB), written);
    entry.call("open", 4);
    const text = statsText(entry, atNs, "2.12", LLITE_ORDER, "regs");
    return { atNs, files: [{ path: `llite/lustre1-${mount}/stats`, bytes: encode(text) }] };
  };
  const reading = (node: string, rest: Partial<ClientReading>): DamageFile => ({
    path: `${node}/${node}.json`,
    bytes: encode(clientReadingText({ jobId: "31", node, cluster: "damage", nodes: 1, ...rest })),
  });
  const [old, fresh] = ["ffff880011110000", "ffff880022220000"];
  const after = side(endNs, fresh, 6 * MB);
  return [
    {
      name: "remount",
      about: "the file system was remounted during the job: counters restarted at 0",
      files: [reading("remount", { before: side(startNs, old, 50 * MB), after })],
      outcome: "read: 6 MiB since the new mount, with a warning",
      deltas: [
        { job: "31", unix: FIRST + 600, bytesRead: 0n, bytesWritten: BigInt(6 * MB), reads: 0, writes: 6 },
      ],
    },
    {
      name: "no-before",
      about: "an epilog without a prolog",
      files: [reading("no-before", { after })],
      outcome: "not counted: no sample before the job",
      deltas: [],
    },
  ];
}
