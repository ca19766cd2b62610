/** What a rule may need to know of a job, whatever the input was. A rule whose facts are missing is not applied. */

/** Records of a layer. */
const LAYERS = [
  ...(["POSIX", "MPI-IO", "STDIO", "DFS", "DAOS"] as const),
  ...(["H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR"] as const),
] as const;

export type Fact =
  | (typeof LAYERS)[number]
  /** Single calls of a layer. */
  | "POSIX calls"
  | "MPI-IO calls"
  /** Bytes over time, without single calls. */
  | "activity"
  /** On which targets files lie. */
  | "layout"
  /** What the application itself says that it does, and when. */
  | "spans"
  /** Processes work together as ranks of MPI: one may wait for another. */
  | "ranks";

/** Modules of Darshan, and one thing more, with facts that are not records of a layer. */
const MODULES: Readonly<Record<string, Fact>> = {
  DXT_POSIX: "POSIX calls",
  DXT_MPIIO: "MPI-IO calls",
  HEATMAP: "activity",
  LUSTRE: "layout",
  "application spans": "spans",
  "MPI ranks": "ranks",
};

const MODULE_OF = new Map(Object.entries(MODULES).map(([module, fact]) => [fact as string, module]));

/** What Darshan calls the module that has a fact. */
export const moduleWith = (fact: Fact): string => MODULE_OF.get(fact) ?? fact;

/** Needs of a rule by the names of Darshan's modules: `POSIX and HEATMAP or DXT_POSIX`. */
export const needsText = (groups: readonly (readonly Fact[])[], and: string): string =>
  groups.map((group) => group.map(moduleWith).join(" or ")).join(and);

const isLayer = (name: string): name is Fact => (LAYERS as readonly string[]).includes(name);

/** Facts of the modules of a log, and of the layers with traced calls. */
export function factsOf(
  modules: Iterable<string>,
  tracedLayers: readonly string[],
  hasRanks: boolean,
  hasSpans = false,
): Set<Fact> {
  const facts = new Set<Fact>(hasRanks ? ["ranks"] : []);
  if (hasSpans) facts.add("spans");
  for (const module of modules) {
    const fact = MODULES[module];
    if (fact !== undefined) facts.add(fact);
    else if (isLayer(module)) facts.add(module);
  }
  for (const layer of tracedLayers) if (layer === "POSIX" || layer === "MPI-IO") facts.add(`${layer} calls`);
  return facts;
}
