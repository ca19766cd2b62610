/** A synthetic site as a folder: files or a store, its answers, and a README. */
import { join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import type { Slice } from "../reuse/index.ts";
import { type AnswerSheet, SCENARIO, type Site } from "../sitewide/index.ts";
import { isMarked, writeAnswers } from "./answers.ts";
import { type FileLimits, writeFiles } from "./sitewide-files.ts";
import { countTables, writeTableSlice, writeTables } from "./sitewide-tables.ts";
import { joinParts, writePart } from "./slices.ts";

/** First line of README.txt; only a folder with it is replaced. */
export const MARK = "A synthetic HPC site made by plimsoll generate sitewide";
export const isSite = (folder: string): boolean => isMarked(folder, MARK);

interface SiteParts {
  readonly tables: boolean;
  readonly damage: boolean;
  readonly limits: FileLimits;
}

interface WrittenSite {
  readonly sheet: AnswerSheet;
  /** How many of what; `partText` says what. */
  readonly made: Readonly<Record<string, number>>;
}

/** The folder is there whole or not at all. */
export async function writeSite(
  path: string,
  site: Site,
  { tables, damage, limits }: SiteParts,
  listener: Listener,
): Promise<WrittenSite & { readonly folder: string }> {
  const output = { path, what: "synthetic site", isOurs: isSite };
  const { folder, result } = await replaceFolder(output, listener, async (work) => {
    let written: WrittenSite = tables
      ? await writeTables(work, site, listener)
      : await writeFiles(work, site, limits, listener);
    if (damage) {
      const { damageExpectations, writeDamage } = await import("./sitewide-damage.ts");
      const made = { ...written.made, damaged: writeDamage(join(work, "damage")) };
      written = { sheet: { ...written.sheet, damage: damageExpectations() }, made };
    }
    writeAnswers(join(work, "answers.json"), written.sheet);
    writeFile(join(work, "README.txt"), readme(written));
    return written;
  });
  return { folder, ...result };
}

/** Rows of one slice as a store of their own, below `path`. */
export const writeSiteSlice = (path: string, site: Site, slice: Slice, listener: Listener) =>
  writePart(path, slice, listener, (work) => writeTableSlice(work, site, slice, listener));

/** Makes one site of `of` slices; for the answers all jobs are drawn once more. */
export async function joinSiteSlices(
  path: string,
  site: Site,
  of: number,
  listener: Listener,
): Promise<WrittenSite & { readonly folder: string }> {
  const written = await joinParts(path, { tables: true, of }, async () => {
    const result = await countTables(site, listener);
    const write = () => {
      writeFile(join(path, "README.txt"), readme(result));
      writeAnswers(join(path, "answers.json"), result.sheet);
    };
    return { result, write };
  });
  return { folder: path, ...written };
}

const WHAT: Readonly<Record<string, string>> = {
  jobs: "rows of jobs in store/",
  minutes: "rows of minutes in store/",
  targets: "rows of targets in store/",
  target_states: "rows of target_states in store/",
  servers: "rows of servers in store/",
  sacct: "jobs in slurm/sacct.txt (sacct --parsable2)",
  clients: "readings of clients in clients/",
  samples: "samples of servers in samples/",
  damaged: "odd and broken inputs in damage/, with the expected outcome of each in expected.json",
};

export const partText = (name: string): string => WHAT[name] ?? name;

function readme({ sheet: { seed, options }, made }: WrittenSite): string {
  const lines = Object.entries(made).map(
    ([name, count]) => `${String(count).padStart(12)} ${partText(name)}`,
  );
  return `${MARK}
Nothing here was recorded on a real system.

scenario ${SCENARIO}, seed ${seed}, scale ${options.scale}, cluster ${options.cluster}, weekend ${options.weekend}, start ${options.start}
${lines.join("\n")}
answers.json  the true result of every analysis, and the published one
`;
}
