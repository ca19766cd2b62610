/** Pictures of causes. A new kind is a module beside this, a name in rule.ts and a line here. */
import type { Figure, Finding } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import type { Picture } from "../rule.ts";
import { files } from "./files.ts";
import { layers } from "./layers.ts";
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
