/** What a log says of the program: its language, and whether it uses MPI. */
import type { Job } from "../job.ts";
import { oncePerJob } from "../once-per-job.ts";

type Language = "c" | "fortran" | "python";

export interface Program {
  readonly language: Language;
  readonly mpi: boolean;
  /** Python with PyTorch. */
  readonly torch: boolean;
}

/** C when the log does not tell. Kept for each job: a log may name a million files. */
export const programOf = oncePerJob((job): Program => {
  const seen = languagesSeen(job);
  return { language: languageOf(job, seen), mpi: usesMpi(job), torch: seen.torch };
});

/** A run of several ranks was started by MPI; a run of one may not know of it. */
export function usesMpi({ facts, modules, runs }: Job): boolean {
  if (facts.has("MPI-IO") || facts.has("MPI-IO calls")) return true;
  if ([...modules].some((name) => /MPIIO|MPI-IO|PNETCDF/.test(name))) return true;
  return facts.has("ranks") && runs.some(({ ranks }) => ranks > 1);
}

interface Seen {
  python: boolean;
  fortran: boolean;
  torch: boolean;
}

/** Modules and run-time libraries that an interpreter opens or maps. */
const PYTHON_FILE =
  /\.py[co]?$|\/(site|dist)-packages\/|\/libpython[0-9.]*\.so|\/__pycache__\/|\.(ipynb|whl)$/;
/** Run-time libraries of Fortran, Fortran bindings, and what Fortran's own statements leave: namelists, `fort.10`. */
const FORTRAN_FILE =
  /\/lib(gfortran|ifcore|ifport|flang|pgf90|mpifort|mpi_mpifh|mpi_usempi\w*|hdf5\w*_fortran|netcdff)[-\w.]*\.so|(^|\/)fort\.[0-9]+$|\.nml$|\/namelist\.\w+$|\.f(90|95|03|08)$|\.mod$/i;
const TORCH_FILE = /\/(site|dist)-packages\/torch\/|\/libtorch\w*\.so/;

function languagesSeen(job: Job): Seen {
  const seen: Seen = { python: false, fortran: false, torch: false };
  for (const { path } of job.files) {
    seen.python ||= PYTHON_FILE.test(path);
    seen.fortran ||= FORTRAN_FILE.test(path);
    seen.torch ||= TORCH_FILE.test(path);
  }
  seen.torch ||= job.runs.some(({ commandLine }) => /\btorchrun\b|\btorch\.distributed\b/.test(commandLine));
  return seen;
}

/** Python's libraries load Fortran's, not the other way round: so Python first. */
function languageOf(job: Job, seen: Seen): Language {
  const lines = job.runs.flatMap(({ commandLine, application }) => [commandLine, application]);
  if (seen.torch || lines.some(startsPython)) return "python";
  if (seen.python && !seen.fortran && !lines.some(startsBinary)) return "python";
  if (seen.fortran) return "fortran";
  return seen.python ? "python" : "c";
}

/** What starts a program and is not the program; the options of these take no word of their own that looks like one. */
const LAUNCHER =
  /^(mpi(exec|run)(\.\w+)?|srun|aprun|jsrun|orterun|prun|env|nice|nohup|time|timeout|taskset|numactl)$/;
const PYTHON = /^(python|pypy|ipython|torchrun|jupyter|accelerate|deepspeed)[0-9.]*$/;

const baseName = (word: string) => word.slice(word.lastIndexOf("/") + 1);
const wordsOf = (line: string) => line.trim().split(/\s+/).map(baseName);

/** The first word that is neither a launcher nor one of its options, variables or numbers. */
function programWord(words: readonly string[]): string {
  if (!LAUNCHER.test(words[0] ?? "")) return words[0] ?? "";
  return words.find((word) => !LAUNCHER.test(word) && !/^-|=|^[0-9:,.\-sm]*$/.test(word)) ?? "";
}

function startsPython(line: string): boolean {
  const words = wordsOf(line);
  const program = programWord(words);
  if (PYTHON.test(program) || /\.pyw?$/.test(program)) return true;
  // Options of a launcher may take a word that looks like a program: `srun -p gpu python train.py`.
  return LAUNCHER.test(words[0] ?? "") && words.some((word) => PYTHON.test(word));
}

/** A path that is no interpreter: some programs load Python for a part of their work. */
function startsBinary(line: string): boolean {
  const program = programWord(wordsOf(line));
  return /\.(exe|x|out|bin)$|^a\.out/.test(program);
}
