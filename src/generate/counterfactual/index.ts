/**
 * Jobs with up to three causes of slow I/O, as logs of an application simulated by a time model with known parameters;
 * each has twins without the causes, so that the gain of a fix is known.
 */
import type { WriteOptions } from "../../formats/darshan/writer.ts";
import { type LogTruth, recordLog } from "../recorder/record.ts";
import { CAUSES, type Cause } from "./activity.ts";
import type { CounterfactualJob } from "./job.ts";
import { logPlan } from "./program.ts";

export { CAUSES, type Cause } from "./activity.ts";
export { type CounterfactualJob, drawJob } from "./job.ts";
export { logPlan } from "./program.ts";

/** A twin of a job: which causes are mended in it. */
interface Twin {
  /** "flawed", "mended", or the one cause that is mended in it. */
  readonly mended: "flawed" | "mended" | Cause;
  readonly file: string;
}

/** The flawed job first, then with all causes mended, and with several causes each mended alone. */
export function twinsOf({ index, causes }: CounterfactualJob): Twin[] {
  const name = String(index + 1).padStart(4, "0");
  const twins: Twin[] = [{ mended: "flawed", file: `${name}-flawed.darshan` }];
  if (causes.length > 0) twins.push({ mended: "mended", file: `${name}-mended.darshan` });
  if (causes.length < 2) return twins;
  return [
    ...twins,
    ...causes.map(({ cause }) => ({ mended: cause, file: `${name}-mended-${cause}.darshan` })),
  ];
}

function mendedCauses({ causes }: CounterfactualJob, { mended }: Twin): ReadonlySet<Cause> {
  if (mended === "flawed") return new Set();
  return new Set(mended === "mended" ? causes.map(({ cause }) => cause) : [mended]);
}

export function twinLog(
  job: CounterfactualJob,
  twin: Twin,
  encoders: WriteOptions["encoders"],
): { readonly bytes: Uint8Array; readonly facts: LogTruth } {
  return recordLog(logPlan(job.program, mendedCauses(job, twin)), encoders);
}

/** A job in answers.json. */
export function jobAnswer(job: CounterfactualJob) {
  const { program, causes, runSeconds, mendedRunSeconds } = job;
  const [flawed, mended, ...alone] = twinsOf(job);
  const { machine, place, computeSeconds, steps, ranks, mpi, parts, heatmap, traces } = program;
  return {
    id: String(job.index + 1).padStart(4, "0"),
    synthetic: true,
    kind: job.kind,
    log: flawed?.file as string,
    mendedLog: mended?.file ?? null,
    mainCause: job.mainCause,
    ...(job.kind === "decoy" ? { decoy: causes[0]?.cause } : {}),
    causes: causes.map(({ cause, trueGainSeconds, trueGainShare, also }) => ({
      ...{ cause, trueGainSeconds, trueGainShare, alsoCalled: also },
      mendedLog: alone.find((twin) => twin.mended === cause)?.file ?? mended?.file,
    })),
    trueGainSeconds: Math.round((runSeconds - mendedRunSeconds) * 1e9) / 1e9,
    trueGainShare: (runSeconds - mendedRunSeconds) / runSeconds,
    ranks,
    runSeconds,
    mendedRunSeconds,
    parameters: {
      ...{
        mpi,
        steps,
        computeSeconds,
        fileSystem: place.type,
        layouts: place.layouts,
        heatmap,
        traces,
        machine,
      },
      activities: parts.map(({ cause, activity, when, barrier }) => ({
        ...{ cause: cause ?? null, when, barrier },
        ...activity.parameters,
      })),
    },
  };
}

export function isCause(id: string): id is Cause {
  return (CAUSES as readonly string[]).includes(id);
}
