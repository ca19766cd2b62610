/** Stored studies in a folder; a request can only choose a name from its listing. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "./http.ts";
import { ownPolicy } from "./policy.ts";
import { NotFound, type StoredStudy } from "./site.ts";

const REPORT_BYTES_MAX = 64 * 1024 * 1024;
const STUDIES_MAX = 200;

/** Subfolders with a study; none if the folder is missing. */
export function studiesIn(folder: string | undefined): StoredStudy[] {
  if (folder === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .slice(0, STUDIES_MAX)
      .flatMap(({ name }) => studyOf(folder, name) ?? []);
  } catch {
    return [];
  }
}

function studyOf(folder: string, name: string): StoredStudy | undefined {
  try {
    const path = join(folder, name, "report.html");
    const { mtime, size } = statSync(path);
    if (size > REPORT_BYTES_MAX) return undefined;
    const html = readFileSync(path, "utf8").slice(0, 20_000_000);
    const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? name;
    return {
      name,
      title: plain(title),
      changed: mtime.toISOString(),
      synthetic: /synthetic/i.test(html.slice(0, 2_000_000)),
    };
  } catch {
    return undefined;
  }
}

const plain = (html: string): string =>
  html.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "",
  );

/** A saved report, with its own policy. */
export function studyReply(folder: string | undefined, name: string): Reply {
  const study = studiesIn(folder).find((one) => one.name === name);
  if (folder === undefined || study === undefined) throw new NotFound(`no stored study ${name}`);
  const html = readFileSync(join(folder, study.name, "report.html"), "utf8");
  const policy = ownPolicy(html);
  // A report of Plimsoll always has a policy.
  if (policy === undefined) throw new NotFound(`${name} is not a report of Plimsoll`);
  return { status: 200, type: "text/html; charset=utf-8", body: html, policy };
}
