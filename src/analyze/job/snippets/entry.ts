/** A snippet of the table: code to copy, for programs with and without MPI, by language. */
import type { Snippet } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import { type Program, programOf } from "./program.ts";
import { ShellPaths } from "./shell.ts";

export type Way = "read" | "write";

/** `torch` is Python that uses PyTorch. */
export type Variant = "c" | "fortran" | "python" | "torch" | "shell";

/** The code for these parameters; paths become words of a command only through `paths`. */
type Builder<Params> = (params: Params, paths: ShellPaths) => string;
export type Variants<Params> = { readonly [Name in Variant]?: Builder<Params> };

/** One of the two kinds at least. Code has a C variant; commands have a shell variant only. */
export interface Entry<Params> {
  /** Stable, for tests and documents. */
  readonly id: string;
  /** For programs that use MPI. */
  readonly mpi?: Variants<Params>;
  /** For all others, and for programs with MPI where `mpi` is missing. */
  readonly plain?: Variants<Params>;
}

/** Takes the type of the parameters from the builders. */
export const entry = <Params = void>(id: string, kinds: Omit<Entry<Params>, "id">): Entry<Params> => ({
  id,
  ...kinds,
});

const LANGUAGES: Readonly<Record<Variant, string>> = {
  c: "c",
  fortran: "fortran",
  python: "python",
  torch: "python",
  shell: "shell",
};

/** The snippet in the program's language; in C where the entry has none in it. */
export function snippetFor<Params>(
  job: Job,
  of: Entry<Params>,
  ...[params]: Params extends void ? [] : [params: Params]
): Snippet {
  return snippetOf(programOf(job), of, params as Params, mountsOf(job));
}

export function snippetOf<Params>(
  program: Program,
  of: Entry<Params>,
  params: Params,
  mounts: ReadonlySet<string>,
): Snippet {
  const variants = (program.mpi ? of.mpi : undefined) ?? of.plain ?? of.mpi ?? {};
  const name = variantFor(program, variants);
  return codeOf(variants, name, params, mounts);
}

export function codeOf<Params>(
  variants: Variants<Params>,
  name: Variant,
  params: Params,
  mounts: ReadonlySet<string>,
): Snippet {
  const paths = new ShellPaths(mounts);
  const code = (variants[name] as Builder<Params>)(params, paths);
  return { language: LANGUAGES[name], code: [...paths.remarks(), code].join("\n") };
}

function variantFor<Params>({ language, torch }: Program, variants: Variants<Params>): Variant {
  if (torch && variants.torch !== undefined) return "torch";
  if (variants[language] !== undefined) return language;
  return variants.c === undefined ? "shell" : "c";
}

/** Mount points that the log names. */
function mountsOf({ files }: Job): ReadonlySet<string> {
  const mounts = new Set<string>();
  for (const { mount } of files) if (mount !== null) mounts.add(mount);
  return mounts;
}
