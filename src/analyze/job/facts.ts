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
  /** Which calls read and which write. */
  | "directions"
  /** Processes work together as ranks of MPI: one may wait for another. */
  | "ranks";

/** Modules of Darshan with facts that are not records of a layer. */
const MODULES: Readonly<Record<string, Fact>> = {
  DXT_POSIX: "POSIX calls",
  DXT_MPIIO: "MPI-IO calls",
  HEATMAP: "activity",
  LUSTRE: "layout",
};

/** What people call a fact that is not the name of a layer. */
const WORDS: Partial<Record<Fact, string>> = {
  layout: "stripe layout",
  activity: "activity over time",
  "POSIX calls": "traced calls",
  "MPI-IO calls": "traced calls",
  spans: "application spans",
  ranks: "MPI ranks",
  directions: "the direction of calls",
  H5F: "HDF5 files",
  H5D: "HDF5 datasets",
  PNETCDF_FILE: "PnetCDF files",
  PNETCDF_VAR: "PnetCDF variables",
};

export const factName = (fact: Fact): string => WORDS[fact] ?? fact;

/** Needs of a rule in words, always in the same order: `POSIX and activity over time or traced calls`. */
export const needsText = (groups: readonly (readonly Fact[])[], and: string): string =>
  groups.map((group) => [...new Set(group.map(factName))].sort().join(" or ")).join(and);

const isLayer = (name: string): name is Fact => (LAYERS as readonly string[]).includes(name);

/** Facts of the modules of a log, and of the layers with traced calls. */
export function factsOf(
  modules: Iterable<string>,
  tracedLayers: readonly string[],
  { hasRanks, hasDirections, hasSpans }: Record<"hasRanks" | "hasDirections" | "hasSpans", boolean>,
): Set<Fact> {
  const facts = new Set<Fact>(hasRanks ? ["ranks"] : []);
  if (hasDirections) facts.add("directions");
  if (hasSpans) facts.add("spans");
  for (const module of modules) {
    const fact = MODULES[module];
    if (fact !== undefined) facts.add(fact);
    else if (isLayer(module)) facts.add(module);
  }
  for (const layer of tracedLayers) if (layer === "POSIX" || layer === "MPI-IO") facts.add(`${layer} calls`);
  return facts;
}
