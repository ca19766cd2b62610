/** Who exports what, and who imports it: from the text of all files, by regular expressions. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Who imports: what is shipped, what tests it, what measures it. */
export type User = "product" | "test" | "bench";

export interface Exported {
  /** From the root of the project. */
  readonly file: string;
  readonly name: string;
  /** In another file's place: `export { name } from`. */
  readonly isReExport: boolean;
  readonly users: ReadonlySet<User>;
  /** Named in its own file beside where it is declared. */
  readonly isUsedInside: boolean;
}

interface Binding {
  readonly name: string;
  readonly as: string;
}

interface Import {
  readonly from: string;
  readonly names: readonly Binding[] | "all";
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly reExports: readonly Import[];
  readonly declared: readonly string[];
}

/** Of a path from the root of the project. */
export const isTest = (file: string): boolean => /\.test\.ts$|-kit\.ts$|^test\//.test(file);

export const userOf = (file: string): User =>
  isTest(file) ? "test" : /^bench\/|\.bench\.ts$/.test(file) ? "bench" : "product";

export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .sort();
}

/** Comments may quote an import; `"logs/*"` is none. */
const withoutComments = (text: string): string =>
  text.replace(/(^|[\s({,;[])\/\*[\s\S]*?\*\//g, "$1").replace(/(^|\s)\/\/.*$/gm, "$1");

/** Files of ours that a file imports. */
export const importsOf = (path: string): string[] => {
  const { imports, reExports } = sourceOf(path, withoutComments(readFileSync(path, "utf8")));
  return [...imports, ...reExports].map(({ from }) => from);
};

/** All exports of files below `src` and `web`, with those who import them from the given folders. */
export function exportsOf(root: string, folders: readonly string[]): Exported[] {
  const sources = new Map(
    folders
      .flatMap((folder) => sourceFiles(join(root, folder)))
      .map((path) => [path, sourceOf(path, withoutComments(readFileSync(path, "utf8")))]),
  );
  const users = new Map<string, Set<User>>();
  /** Marks a name, and where it is re-exported what stands behind it. */
  const use = (path: string, name: string, user: User): void => {
    const key = `${path} ${name}`;
    const known = users.get(key) ?? new Set();
    if (known.has(user)) return;
    users.set(key, known.add(user));
    for (const { from, names } of sources.get(path)?.reExports ?? []) {
      if (names === "all") use(from, name, user);
      else for (const one of names) if (one.as === name) use(from, one.name, user);
    }
  };
  for (const { path, text, imports } of sources.values())
    for (const { from, names } of imports) {
      const found = names === "all" ? namesIn(text, sources, from) : names.map(({ name }) => name);
      for (const name of found) use(from, name, userOf(relative(root, path)));
    }
  const ours = [...sources.values()].filter(({ path }) =>
    ["src/", "web/"].some((folder) => path.startsWith(join(root, folder))),
  );
  // What the package gives to others.
  for (const one of ours.filter(({ path }) => path.startsWith(join(root, "src/library/"))))
    for (const { name } of namesOf(one)) use(one.path, name, "product");
  return ours.flatMap((one) => {
    const words = new Lazy(() => wordCounts(one.text));
    return namesOf(one).map(({ name, isReExport }) => ({
      ...{ file: relative(root, one.path), name, isReExport },
      users: users.get(`${one.path} ${name}`) ?? new Set(),
      get isUsedInside() {
        return !isReExport && (words.value.get(name) ?? 0) > 1;
      },
    }));
  });
}

const namesOf = ({ declared, reExports }: Source): { name: string; isReExport: boolean }[] => [
  ...declared.map((name) => ({ name, isReExport: false })),
  ...reExports.flatMap(({ names }) =>
    names === "all" ? [] : names.map((one) => ({ name: one.as, isReExport: true })),
  ),
];

class Lazy<T> {
  readonly #make: () => T;
  #made: T | undefined;
  constructor(make: () => T) {
    this.#make = make;
  }
  get value(): T {
    this.#made ??= this.#make();
    return this.#made;
  }
}

/** Names that follow a dot are of something else. */
function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/(?<![\w$.])[A-Za-z_$][\w$]*|(?<=\.\.\.)[A-Za-z_$][\w$]*/g))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Of a whole module: those of its names that the importing text has. */
function namesIn(text: string, sources: ReadonlyMap<string, Source>, path: string): string[] {
  const source = sources.get(path);
  if (source === undefined) return [];
  const words = wordCounts(text.replaceAll(".", " "));
  const own = source.reExports.flatMap(({ from, names }) =>
    names === "all" ? namesIn(text, sources, from) : [],
  );
  return [...own, ...namesOf(source).map(({ name }) => name)].filter((name) => words.has(name));
}

const DECLARED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

function sourceOf(path: string, text: string): Source {
  const imports: Import[] = [];
  const reExports: Import[] = [];
  const declared = [...text.matchAll(DECLARED)].map((match) => match[1] as string);
  const at = (from: string) => resolve(dirname(path), from);
  for (const [, verb, list, from] of text.matchAll(
    /\b(import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*"(\.[^"\n]+)"/g,
  ))
    (verb === "import" ? imports : reExports).push({
      from: at(from as string),
      names: bindings(list as string),
    });
  for (const [, verb, from] of text.matchAll(
    /\b(import|export)\s+(?:type\s+)?\*\s*(?:as\s+[\w$]+\s*)?from\s*"(\.[^"\n]+)"/g,
  ))
    (verb === "import" ? imports : reExports).push({ from: at(from as string), names: "all" });
  for (const [, from] of text.matchAll(/\bimport\(\s*"(\.[^"\n]+)"\s*\)/g))
    imports.push({ from: at(from as string), names: "all" });
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?!\s*from)/gm))
    declared.push(...bindings(list as string).map((one) => one.as));
  return { path, text, imports, reExports, declared };
}

const bindings = (list: string): Binding[] =>
  list
    .split(",")
    .map((one) => one.trim().replace(/^type\s+/, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", as = name] = one.split(/\s+as\s+/);
      return { name, as };
    });
