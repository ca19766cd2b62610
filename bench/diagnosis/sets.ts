/** The jobs to diagnose: counterfactual ones, measured pairs, and real programs. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawJob, jobAnswer, twinLog, twinsOf } from "../../src/generate/counterfactual/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

/** What is true of a job. */
export interface Case {
  readonly id: string;
  /** "none": nothing to mend. */
  readonly mainCause: string;
  /** What mending each alone brings. */
  readonly causes: readonly TrueCause[];
  /** What mending all of them brings. */
  readonly gainSeconds: number;
  readonly runSeconds: number;
  /** Of the run, what the slowest ranks spend in I/O. */
  readonly ioSeconds: number;
}

interface TrueCause {
  readonly cause: string;
  readonly gainSeconds: number;
  /** Other causes that it may rightly be called. */
  readonly also: readonly string[];
}

/** A finding as far as the score needs it. */
export interface Said {
  readonly id: string;
  readonly severity: string;
  /** Claimed; NaN where the log cannot tell. */
  readonly seconds: number;
}

export interface LoggedCase extends Case {
  readonly log: string;
}

/** Jobs of a seed, written into the folder one at a time, so that the next may take its place. */
export function* counterfactualCases(seed: number, jobs: number, folder: string): Generator<LoggedCase> {
  for (let index = 0; index < jobs; index++) {
    const job = drawJob(seed, index);
    const [flawed] = twinsOf(job);
    if (flawed === undefined) continue;
    const answer = jobAnswer(job);
    const log = join(folder, "job.darshan");
    writeFileSync(log, twinLog(job, flawed, nodeEncoders).bytes);
    yield {
      id: `${seed}/${answer.id}`,
      mainCause: answer.mainCause,
      causes: (answer.mainCause === "none" ? [] : answer.causes).map(
        ({ cause, trueGainSeconds, alsoCalled }) => ({
          cause,
          gainSeconds: trueGainSeconds,
          also: alsoCalled,
        }),
      ),
      gainSeconds: answer.trueGainSeconds,
      runSeconds: answer.runSeconds,
      ioSeconds: answer.runSeconds - answer.parameters.computeSeconds,
      log,
    };
  }
}

interface Pair {
  readonly id: string;
  readonly log: string;
  readonly cause: string;
  readonly alsoCalled?: readonly string[];
  readonly trueGainSeconds: number;
  readonly wallSeconds: Readonly<Record<string, { readonly median: number }>>;
  readonly ioSeconds?: Readonly<Record<string, { readonly median: number }>>;
  readonly each?: readonly { readonly cause: string; readonly gainSeconds: number }[];
}

/** Folders that may hold `cases.json` with its logs; the first that is there. */
export function pairsFolder(root: string): string | undefined {
  const places = [
    join(root, "..", "shared", "data", "pathologies"),
    join(root, "test", "fixtures", "pathologies"),
  ];
  return places.find((folder) => existsSync(join(folder, "cases.json")));
}

export function pairCases(folder: string): LoggedCase[] {
  const pairs: readonly Pair[] = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));
  return pairs
    .filter(({ log }) => existsSync(join(folder, log)))
    .map(({ id, log, cause, alsoCalled = [], trueGainSeconds, wallSeconds, ioSeconds, each }) => {
      const runSeconds = (wallSeconds.flawed ?? wallSeconds.control)?.median ?? Number.NaN;
      const alone = each ?? (cause === "none" ? [] : [{ cause, gainSeconds: trueGainSeconds }]);
      return {
        id,
        mainCause: cause,
        causes: alone.map((one) => ({ ...one, also: one.cause === cause ? alsoCalled : [] })),
        gainSeconds: trueGainSeconds,
        runSeconds,
        ioSeconds: ioSeconds?.flawed?.median ?? runSeconds,
        log: join(folder, log),
      };
    });
}

interface ProgramRow {
  readonly program: string;
  readonly cause: string;
  readonly input?: string;
  readonly trueGainSeconds: number;
  readonly flawedSeconds: { readonly median: number };
  readonly findings: readonly {
    readonly id: string;
    readonly severity: string;
    readonly seconds: number | null;
  }[];
}

/** Results of examples/pathologies, whose findings were asked for when the programs ran. */
export function programCases(path: string): { readonly truth: Case; readonly said: readonly Said[] }[] {
  const rows: readonly ProgramRow[] = JSON.parse(readFileSync(path, "utf8"));
  return rows.map(({ program, cause, input = "", trueGainSeconds, flawedSeconds, findings }) => ({
    truth: {
      id: `${program} ${input}`.trim(),
      mainCause: cause,
      causes: [{ cause, gainSeconds: trueGainSeconds, also: [] }],
      gainSeconds: trueGainSeconds,
      runSeconds: flawedSeconds.median,
      ioSeconds: flawedSeconds.median,
    },
    said: findings.map(({ id, severity, seconds }) => ({ id, severity, seconds: seconds ?? Number.NaN })),
  }));
}
