/** What to do about time in metadata, and the code for it: one decision for both, by who opens what. */
import type { Job, JobFile } from "../job.ts";
import { environmentOf, isProgramFile } from "../program-files.ts";
import type { Action } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { readByOne } from "./files-use.ts";
import { heaviest, sum } from "./measures.ts";
import { isWaiting, metaSecondsOf } from "./metadata-calls.ts";
import { fileCalls, realFiles } from "./per-job.ts";
import { many } from "./wording.ts";

interface MetadataCause {
  /** wait: opens that last until somebody is there; program: modules and libraries; the rest by who opens the files. */
  readonly kind: "wait" | "program" | "mpi-io" | "every-rank" | "own";
  /** The files that most of the time goes to. */
  readonly files: readonly JobFile[];
}

/** Ours: a kind of files explains the time when it has at least half of it. */
const MOST = 0.5;

export function metadataCause(job: Job, seconds: number): MetadataCause {
  const kinds: readonly [MetadataCause["kind"], (file: JobFile) => boolean][] = [
    // Opens of named pipes and of locked files last until the other side is there.
    ["wait", (file) => isWaiting(job, file)],
    ["program", isProgramFile],
    ["mpi-io", ({ called }) => called.layer === "MPI-IO" && called.ranks > 1],
    ["every-rank", ({ called }) => called.ranks > 1],
  ];
  for (const [kind, test] of kinds) {
    const files = realFiles(job).filter(test);
    if (metaSecondsOf(job, files) >= MOST * seconds) return { kind, files };
  }
  return { kind: "own", files: realFiles(job) };
}

/** Stats are most of the calls: every one of them goes to the metadata server, and to the targets for the size. */
export const askOnce = (job: Job, more = ""): Action => ({
  change: "Stat each file once",
  advice: `Call stat once and keep the result${programOf(job).mpi ? ", or let one rank call it and broadcast the result" : ""}${more}.`,
  snippet: snippetFor(job, SNIPPETS.statOnce),
});

export function metadataAction(job: Job, { kind, files }: MetadataCause): Action {
  const worst = heaviest(files, (file) => fileCalls(job, file).metaSeconds);
  switch (kind) {
    case "wait":
      return {
        change: "Find out what opens wait for",
        advice:
          "Find out what the files named here are: if opens wait for pipes or lock files, storage is not the problem.",
      };
    case "program":
      return {
        change: "Start the program from an image",
        advice: `Start the program from an image of its environment: one file on the shared file system instead of ${many(files.length, "module and library", "modules and libraries")} that every process looks up. A container or a copy on node-local storage does the same.`,
        snippet: snippetFor(job, SNIPPETS.environmentImage, {
          path: `${environmentOf(worst.path)}/bin`,
          files: files.length,
        }),
      };
    case "mpi-io":
      return {
        change: "Open shared files collectively",
        advice:
          "Open shared files collectively and let only the aggregators open them (romio_no_indep_rw); do not open and close them in every step.",
        snippet: snippetFor(job, SNIPPETS.deferredOpen, { way: wayOf(files) }),
      };
    case "every-rank":
      if (
        sum(files, (file) => fileCalls(job, file).stats) >
        2 * sum(files, (file) => fileCalls(job, file).opens)
      )
        return askOnce(job);
      if (wayOf(files) === "read" && !programOf(job).mpi) return readByOne(job, worst.path);
      return wayOf(files) === "read"
        ? {
            change: "Let one rank open small inputs",
            advice:
              "Let one rank open and read small inputs and broadcast them; open large ones once and keep them open.",
            snippet: snippetFor(job, SNIPPETS.broadcastFile, { path: worst.path }),
          }
        : {
            change: "Keep shared files open",
            advice: "Open shared files once and keep them open; do not open and close them in every step.",
            snippet: snippetFor(job, SNIPPETS.openOnce, { way: "write" }),
          };
    case "own":
      return {
        change: "Use fewer files, open each once",
        advice: `Use fewer files, and open each once: put related data into one file${wayOf(files) === "write" ? ", and do not create many in one directory at the same moment" : ""}.`,
        snippet: snippetFor(job, SNIPPETS.container, { way: wayOf(files) }),
      };
  }
}
