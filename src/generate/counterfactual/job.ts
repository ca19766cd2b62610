/** Draws jobs with known causes and takes the truth from their twins. */
import { assert } from "../../base/assert.ts";
import { Random } from "../../base/prng.ts";
import { type Activity, CAUSES, type Cause, type Flaw, type Parameters, type Setting } from "./activity.ts";
import { CALL_FLAWS } from "./calls.ts";
import { Draw } from "./draw.ts";
import { FILE_FLAWS } from "./files.ts";
import { HDF5_FLAWS } from "./hdf5.ts";
import { planHealthy } from "./healthy.ts";
import { drawMachine, harmless } from "./machine.ts";
import { MPIIO_FLAWS } from "./mpiio.ts";
import { drawPlace } from "./place.ts";
import { callCount, type Part, type Program, secondsOf } from "./program.ts";
import { RANK_FLAWS } from "./ranks.ts";

const FLAWS: readonly Flaw[] = [...CALL_FLAWS, ...FILE_FLAWS, ...RANK_FLAWS, ...MPIIO_FLAWS, ...HDF5_FLAWS];

type JobKind = "planted" | "decoy" | "control";

/** Gain of fixing one cause alone. */
interface CauseTruth {
  readonly cause: Cause;
  readonly trueGainSeconds: number;
  /** Of the run with all flaws. */
  readonly trueGainShare: number;
  readonly also: readonly Cause[];
  readonly parameters: Parameters;
}

export interface CounterfactualJob {
  readonly index: number;
  readonly kind: JobKind;
  /** The cause with the largest gain; none if no fix gains anything. */
  readonly mainCause: Cause | "none";
  /** Largest gain first; of a decoy the cause that it looks like. */
  readonly causes: readonly CauseTruth[];
  readonly runSeconds: number;
  readonly mendedRunSeconds: number;
  readonly program: Program;
}

/** Smaller gains are negligible. */
const GAIN_SHARE_MIN = 0.02;
const GAIN_SECONDS_MIN = 0.3;
/** The main cause stands out from the second by this factor. */
const LEAD = 1.3;
/** Maximum gain of fixing a decoy, as a share of the run. */
const DECOY_SHARE_MAX = 0.004;
const ATTEMPTS = 200;
const STREAM_JOB = 4;
const STREAM_KIND = 5;

/** Of 25 jobs 21 have one main cause each, two are decoys and two are controls. */
const ROUND: readonly (Cause | "decoy" | "control")[] = [...CAUSES, "decoy", "control", "decoy", "control"];

/** Job `index` of a seed; the same whichever others are made. `among`: only these main causes. */
export function drawJob(seed: number, index: number, among: readonly Cause[] = []): CounterfactualJob {
  const round = among.length === 0 ? ROUND : among;
  const wanted = round[index % round.length] as (typeof ROUND)[number];
  const kindDraw = new Draw(Random.stream(seed, STREAM_KIND, index));
  // Which causes a job has does not change with the attempts, or combinations that are hard to meet would be rare.
  const causes =
    wanted === "control" ? [] : wanted === "decoy" ? [kindDraw.pick(CAUSES)] : several(wanted, kindDraw);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // A combination that cannot be met ends as a job of its main cause alone.
    const tried = attempt < ATTEMPTS / 2 ? causes : causes.slice(0, 1);
    const draw = new Draw(Random.stream(seed, STREAM_JOB, index * ATTEMPTS + attempt));
    const kind = wanted === "decoy" || wanted === "control" ? wanted : "planted";
    const program = drawProgram(draw, { seed, index, kind, causes: tried });
    const job = program === undefined ? undefined : judged(program, kind, tried);
    if (job !== undefined) return job;
  }
  throw new Error(`no job with ${causes.join(" and ")} in ${ATTEMPTS} attempts (seed ${seed}, job ${index})`);
}

function several(main: Cause, draw: Draw): Cause[] {
  const count = draw.pick([1, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
  const causes: Cause[] = [main];
  while (causes.length < count) {
    const other = draw.pick(CAUSES);
    if (!causes.includes(other) && !akin(main, other)) causes.push(other);
  }
  return causes;
}

/** Two causes of which one could be called by the other's name cannot be told apart in one job. */
function akin(a: Cause, b: Cause): boolean {
  const names = (cause: Cause) => flawOf(cause).also ?? [];
  return names(a).includes(b) || names(b).includes(a);
}

function flawOf(cause: Cause): Flaw {
  const flaw = FLAWS.find((one) => one.cause === cause);
  assert(flaw !== undefined, `no flaw for ${cause}`);
  return flaw;
}

interface Wanted {
  readonly seed: number;
  readonly index: number;
  readonly kind: JobKind;
  readonly causes: readonly Cause[];
}

/** Names that do not reveal the planted cause. */
const WORDS = ["out", "state", "field", "table", "snap", "mesh", "hist", "input", "wave", "grid"];
const PROGRAMS = ["solve", "flow", "climate", "train", "align", "md", "lattice", "assemble"];

function drawProgram(draw: Draw, { seed, index, kind, causes }: Wanted): Program | undefined {
  const flaws = causes.map(flawOf);
  const ranksMin = Math.max(1, ...flaws.map((flaw) => flaw.ranksMin));
  const ranksMax = Math.min(512, ...flaws.map((flaw) => flaw.ranksMax));
  const ranks = draw.whole(ranksMin, ranksMax);
  const machine = drawMachine(draw);
  const place = drawPlace(draw, machine.targets, ranks);
  if (flaws.some((flaw) => flaw.isSeen?.(place) === false)) return undefined;
  const steps = Math.min(draw.whole(1, 12), Math.max(1, Math.floor(1024 / ranks)));
  const words = [...WORDS];
  const word = () => words.splice(draw.random.below(words.length), 1)[0] as string;
  const wanted = kind === "decoy" ? draw.log(0.02, 0.3) : draw.log(2, 200);
  const parts: Part[] = [];
  const add = (cause: Cause | undefined, seconds: number, plan: (setting: Setting) => Activity) => {
    const when = draw.pick(["first step", "every step", "every step", "last step"] as const);
    const costs = kind === "decoy" && cause !== undefined ? harmless(machine) : machine;
    const turns = when === "every step" ? steps : 1;
    const setting = { draw, machine: costs, ranks, parts: turns, seconds, place, word: word() };
    parts.push({ cause, activity: plan(setting), when, barrier: draw.chance(0.85) });
  };
  const idle: Program = {
    ...{ seed, job: index, name: draw.pick(PROGRAMS), ranks, mpi: ranks > 1 || draw.chance(0.4), steps },
    ...{ computeSeconds: 0, tailSeconds: draw.between(0.02, 0.1), machine, place, parts },
    ...{ heatmap: draw.chance(0.7), traces: false },
  };
  // Files and calls have limits, so the main cause may take less than was wanted; the rest goes by what it takes.
  let taken = wanted;
  for (const [position, flaw] of flaws.entries()) {
    const share = position === 0 ? 1 : draw.between(0.1, 0.6);
    add(flaw.cause, share * taken, (setting) => flaw.plan(setting));
    if (position > 0 || kind !== "planted") continue;
    taken = secondsOf(idle, new Set());
    if (taken - secondsOf(idle, new Set(causes)) < GAIN_SECONDS_MIN) return undefined;
  }
  const healthy = kind === "planted" ? (draw.chance(0.75) ? 1 : 0) : draw.pick([1, 2, 3]);
  for (let i = 0; i < healthy; i++) {
    const seconds = kind === "planted" ? taken * draw.log(0.05, 0.8) : draw.log(1, 60);
    add(undefined, seconds, planHealthy);
  }
  const share = draw.chance(0.15) ? 0 : draw.between(0, 0.95);
  const wantsTraces = draw.chance(0.4);
  const busy = secondsOf(idle, new Set());
  const program = { ...idle, computeSeconds: (busy * share) / (1 - share) };
  return { ...program, traces: wantsTraces && callCount(program) <= TRACED_MAX };
}

/** Traces hold every call, so only jobs with few of them have some. */
const TRACED_MAX = 20_000;

/** Adds the truth from its twins; undefined if the planned cause does not show. */
function judged(program: Program, kind: JobKind, causes: readonly Cause[]): CounterfactualJob | undefined {
  if (kind === "decoy") program = diluted(program, causes);
  const runSeconds = secondsOf(program, new Set());
  const mendedRunSeconds = causes.length === 0 ? runSeconds : secondsOf(program, new Set(causes));
  const truths = causes.map((cause): CauseTruth => {
    const alone = causes.length === 1 ? mendedRunSeconds : secondsOf(program, new Set([cause]));
    const trueGainSeconds = Math.round((runSeconds - alone) * 1e9) / 1e9;
    const part = program.parts.find((one) => one.cause === cause) as Part;
    const { parameters } = part.activity;
    const also = flawOf(cause).also ?? [];
    return { cause, trueGainSeconds, trueGainShare: trueGainSeconds / runSeconds, also, parameters };
  });
  const sorted = [...truths].sort((a, b) => b.trueGainSeconds - a.trueGainSeconds);
  const mainCause = kind === "planted" ? (sorted[0]?.cause ?? "none") : "none";
  const job: CounterfactualJob = {
    index: program.job,
    kind,
    mainCause,
    causes: sorted,
    runSeconds,
    mendedRunSeconds,
    program,
  };
  return kind !== "planted" || stands(job, causes[0] as Cause) ? job : undefined;
}

/** The wanted cause is the main one by a clear lead, and the others gain something too. */
function stands({ causes, runSeconds }: CounterfactualJob, wanted: Cause): boolean {
  const [first, ...others] = causes as [CauseTruth, ...CauseTruth[]];
  if (first.cause !== wanted || first.trueGainShare < GAIN_SHARE_MIN) return false;
  if (first.trueGainSeconds < GAIN_SECONDS_MIN) return false;
  return others.every(
    ({ trueGainSeconds }) =>
      trueGainSeconds * LEAD <= first.trueGainSeconds && trueGainSeconds >= 0.002 * runSeconds,
  );
}

/** So much computing that a fix would gain nothing noticeable. */
function diluted(program: Program, causes: readonly Cause[]): Program {
  const run = secondsOf(program, new Set());
  const gain = Math.abs(run - secondsOf(program, new Set(causes)));
  const missing = gain / DECOY_SHARE_MAX - run;
  return missing <= 0 ? program : { ...program, computeSeconds: program.computeSeconds + missing };
}
