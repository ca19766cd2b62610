/** `plimsoll papers`: every item of the five papers, with what finished studies say of it. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { version } from "../../package.json";
import { jsonText } from "../base/json.ts";
import { FormatError, UsageError } from "../base/errors.ts";
import { type GivenResult, paperResults, papersDocument, papersJson, papersText } from "../papers/index.ts";
import { wrap } from "../report/text/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { option } from "./option.ts";
import { showDocument } from "./show-document.ts";
import { ENGINE_OPTIONS, type EngineValues, storeOptions } from "./store/options.ts";
import type { StoreStudy, StudyOutcome } from "../studies/store-study.ts";

const RESULT_FILES = ["study.json", "checks.json", "sweep.json"];

export default defineCommand({
  name: "papers",
  description:
    "Lists every item of the five papers that Plimsoll repeats (components, algorithms, figures, tables, findings, numbers) with the command that computes it, the published value, the value here, and the verdict or the reason why there is none. Values here come from finished results: folders of study reuse, study system, study metric, sim replay and ncio sweep, or their JSON files; --store runs both store studies first. Published values and verdicts are those of the studies.",
  arguments: [
    {
      name: "result",
      help: "folders of results, or study.json, checks.json, sweep.json",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: {
    store: option.text("DIR", "run study reuse and study system on this store, where it has data for them"),
    output: option.output("FILE", "write an HTML page with links to the reports"),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll papers": "all items with their published values",
    "plimsoll papers study replay ncio -o papers.html": "next to the values of three results, as a page",
    "plimsoll papers --store centre --json": "both studies of a store, as one JSON document",
  },
  async run({ arguments: paths, options }, context) {
    const { output, store } = options;
    const folder = output === undefined ? "." : dirname(output);
    const given = paths.map((path) => readGiven(path, folder));
    if (store !== undefined) given.push(...(await storeResults(store, options, context)));
    const results = paperResults(given);
    const words = ["plimsoll papers", ...paths, ...(store === undefined ? [] : [`--store ${store}`])];
    const input = { results, command: `${words.join(" ")} -o papers.html`, madeBy: `Plimsoll ${version}` };
    if (output === undefined && !context.json) context.out.write(papersText(results, context.columns, wrap));
    else
      await showDocument(
        papersDocument(input),
        { output, full: true, json: () => papersJson(input) },
        context,
      );
  },
});

/** A result with the address of its report as seen from the page. */
function readGiven(path: string, folder: string): GivenResult {
  const file = statSync(path).isDirectory() ? jsonIn(path) : path;
  const report = join(dirname(file), "report.html");
  return {
    source: file,
    report: existsSync(report) ? addressOf(relative(resolve(folder), resolve(report))) : undefined,
    value: parsed(file),
  };
}

const addressOf = (path: string): string => path.split(sep).map(encodeURIComponent).join("/");

function jsonIn(folder: string): string {
  const found = RESULT_FILES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const [file] = found;
  if (file === undefined)
    throw new UsageError(`${folder}: no study result in this folder (expected ${RESULT_FILES.join(", ")})`);
  return file;
}

function parsed(file: string): unknown {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FormatError(file, {}, "not JSON; expected the JSON file of a study", { cause });
  }
}

/** Both studies with their defaults; one that finds nothing in the store is left out. */
async function storeResults(store: string, engine: EngineValues, context: Context): Promise<GivenResult[]> {
  const [{ reuseStudy }, { systemStudy }, { hasRows, studyResult, studyStore }, reuse, system] =
    await Promise.all([
      import("../studies/reuse.ts"),
      import("../studies/system.ts"),
      import("../studies/store-study.ts"),
      import("../analyze/study/reuse/index.ts"),
      import("../analyze/study/system/index.ts"),
    ]);
  const source = { store, engine: storeOptions(engine) };
  const results: GivenResult[] = [];
  const add = async <Study extends StudyOutcome>(kind: StoreStudy<Study>) => {
    if (!(await hasRows(kind, source))) return;
    const result = studyResult(kind, await studyStore(kind, source, false, context));
    // The same fields as those of study.json.
    results.push({ source: store, value: JSON.parse(jsonText(result)) });
  };
  await add(reuseStudy(reuse.reuseOptions({}), engine));
  await add(systemStudy(system.systemOptions({}), engine));
  return results;
}
