import { describe, expect, it } from "vitest";
import { drawJob, twinLog, twinsOf } from "../../../generate/counterfactual/index.ts";
import { SINGLE_LOGS } from "../../../generate/single/index.ts";
import type { Finding } from "../../../model/finding.ts";
import { nodeEncoders } from "../../../node/encoders.ts";
import { answersOf } from "../headline.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { programOf } from "../snippets/index.ts";
import { jobOf, singleJob } from "../test-kit.ts";

/** The same calls as those of processes without MPI, in a language. */
function asProgram(job: Job, commandLine: string, mpi: boolean): Job {
  const runs = job.runs.map((run) => ({ ...run, commandLine, application: "", ranks: mpi ? run.ranks : 1 }));
  if (mpi) return { ...job, kept: new Map(), runs };
  const ofMpi = /MPI|PNETCDF|^ranks$/;
  return {
    ...job,
    kept: new Map(),
    runs,
    facts: new Set([...job.facts].filter((fact) => !ofMpi.test(fact))),
    modules: new Set([...job.modules].filter((name) => !ofMpi.test(name))),
  };
}

const PROGRAMS: readonly (readonly [name: string, program: (job: Job) => Job])[] = [
  ["C with MPI", (job) => job],
  ["Python with MPI", (job) => asProgram(job, "python3 step.py", true)],
  ["C without MPI", (job) => asProgram(job, "./step", false)],
  ["Python without MPI", (job) => asProgram(job, "python3 step.py", false)],
];

const JOBS: readonly (readonly [name: string, job: () => Job])[] = [
  ...SINGLE_LOGS.map(({ id }) => [id, () => singleJob(id)] as const),
  ...Array.from({ length: 48 }, (_, index) => {
    const drawn = drawJob(7, index);
    const [flawed] = twinsOf(drawn);
    const log = () => jobOf(twinLog(drawn, flawed as typeof flawed & object, nodeEncoders).bytes);
    return [`${index}: ${drawn.mainCause}`, log] as const;
  }),
];

/** Words of a call or a hint, which advice and code have to have in common. */
const HINTS = /\b(romio_\w+|cb_\w+|striping_\w+)\b/g;
const CALLS =
  /\b(MPI_\w+|H5P?[A-Z]\w+|ncmpi_\w+|posix_fadvise|pread|pwrite|setvbuf|fflush|fsync|mksquashfs|DXT_ENABLE_IO_TRACE)\b/g;
const words = (text: string, kind: RegExp) => new Set(Array.from(text.matchAll(kind), ([word]) => word));

/** Stems of words with a meaning of their own. */
const stems = (text: string) =>
  new Set((text.toLowerCase().match(/[a-z]{3,}/g) ?? []).map((word) => word.slice(0, 4)));

const OF_MPI = /\bMPI|mpi4py|romio|collective|broadcast|aggregator/i;
const WRITES = /\bwrit(e|es|ing|ten)\b|pwrite|fwrite|_write|H5Fcreate|setstripe|O_WRONLY/i;

function faults(job: Job, { id, inShort = "", advice, snippet }: Finding): string[] {
  const code = snippet?.code ?? "";
  const found: string[] = [];
  const fault = (wrong: boolean, what: string) => {
    if (wrong) found.push(`${id}: ${what}: ${inShort} | ${advice} | ${code}`);
  };
  fault(!/^[A-Z][^.]*[^.]$/.test(inShort) || inShort.split(" ").length > 7, "not short");
  fault(![...stems(inShort)].some((stem) => stems(advice).has(stem)), "headline and advice share no word");
  for (const hint of words(advice, HINTS))
    fault(code !== "" && !code.includes(hint), `${hint} is not in the code`);
  const calls = [...words(advice, CALLS)];
  const isC = snippet?.language === "c" || snippet?.language === "shell";
  fault(isC && calls.length > 0 && !calls.some((call) => code.includes(call)), "the code has another call");
  fault(!programOf(job).mpi && OF_MPI.test(`${inShort} ${advice} ${code}`), "MPI for a program without it");
  const onlyReads = job.files.every(({ bytesWritten }) => !(bytesWritten > 0));
  fault(onlyReads && WRITES.test(`${inShort} ${advice}`), "a job that only reads is told to write");
  return found;
}

describe("headline, advice and code", () => {
  it.each(JOBS)("of %s say the same, in any kind of program", (_, made) => {
    const job = made();
    const throughMpi = job.layer("MPI-IO").length > 0;
    for (const [name, program] of PROGRAMS) {
      const one = program(job);
      if (throughMpi && !programOf(one).mpi) continue;
      const verdicts = judge(one);
      expect([name, ...verdicts.findings.flatMap((finding) => faults(one, finding))]).toEqual([name]);
      const { change } = answersOf(one, verdicts);
      const told = verdicts.findings.find(({ id }) => id === change.finding);
      if (told !== undefined) expect(change.text).toBe(told.inShort);
    }
  });
});
