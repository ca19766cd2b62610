/** Rankings as JSON: rows as arrays of objects, with units in names. */
import { type Ranking, type TargetRanking, stretchMinutes } from "../../analyze/load/index.ts";

export function rankingJson({ window, rows, by, ...ranking }: Ranking) {
  const { beyond, ...rest } = ranking;
  return {
    by,
    ...rest,
    ...(window === undefined || ranking.source !== "servers"
      ? {}
      : { whenStepMinutes: stretchMinutes(window) }),
    jobsBeyondTargets: beyond,
    rows: rows.map(({ id, ...row }) => (by === "job" ? { jobId: id, ...row } : { ...row, [by]: id })),
  };
}

export const targetRankingJson = ({ window, ...ranking }: TargetRanking) => ({
  ...ranking,
  whenStepMinutes: stretchMinutes(window),
});
