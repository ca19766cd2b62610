/** Pictures of causes. A new kind is a module beside this, a name in rule.ts and a line here. */
import type { CulpritChart, Figure, Finding } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import type { Picture } from "../rule.ts";
import { files } from "./files.ts";
import { layers } from "./layers.ts";
import { numbers } from "./numbers.ts";
import { RULES } from "../rules/index.ts";
import { figureOf, type PictureMaker } from "./picture.ts";
import { ranks } from "./ranks.ts";
import { sizes } from "./sizes.ts";
import { targets } from "./targets.ts";
import { time } from "./time.ts";
import { timeline } from "./timeline.ts";

const MAKERS: Readonly<Record<Picture, PictureMaker>> = {
  ranks,
  targets,
  sizes,
  layers,
  time,
  files,
  timeline,
  numbers,
};

/** Where the I/O time of a job goes, with nothing marked: beside the headline where it names no cause. */
export function timeFigure(job: Job): Figure | undefined {
  const drawn = time(job, { id: "", severity: "info", evidence: NO_EVIDENCE, threshold: [] });
  if (drawn === undefined) return undefined;
  const chart = { ...drawn.chart, marked: [], markLabel: "" };
  return figureOf(
    { id: "time", severity: "info", evidence: NO_EVIDENCE, threshold: [] },
    { ...drawn, chart },
  );
}

/** Who waits for a slow target. Not the other way round: a target that no rule found slow is not to be blamed for a slow rank. */
export function secondFigure(job: Job, finding: Finding): Figure | undefined {
  if (PICTURES.get(finding.id) !== "targets") return undefined;
  const drawn = ranks(job, finding);
  return drawn === undefined || !standsOut(drawn.chart)
    ? undefined
    : { ...figureOf(finding, drawn), id: `cause-${finding.id}-ranks` };
}

/** The first that is marked differs from all others, or from the median, by a factor of two. */
function standsOut({ items, marked, line }: Pick<CulpritChart, "items" | "marked" | "line">): boolean {
  const culprit = items[marked[0] ?? -1]?.value ?? 0;
  const others = items.filter((_, at) => !marked.includes(at)).map(({ value }) => value);
  const most = others.reduce((high, value) => Math.max(high, value), 0);
  return culprit >= 2 * most || (line !== undefined && 2 * culprit <= Math.min(line.value, most));
}

const NO_EVIDENCE = { numbers: [], files: [], filesTotal: 0, ranks: [] };

const PICTURES: ReadonlyMap<string, Picture | undefined> = new Map(
  RULES.map(({ id, picture }) => [id, picture]),
);

/** The finding with its figure. Where a job lacks what its rule would draw, the times by kind of call stand there. */
export function pictured(job: Job, finding: Finding): Finding {
  const picture = PICTURES.get(finding.id);
  if (finding.severity === "info" || picture === undefined) return finding;
  const drawn = MAKERS[picture](job, finding) ?? time(job, finding);
  return drawn === undefined ? finding : { ...finding, figure: figureOf(finding, drawn) };
}
