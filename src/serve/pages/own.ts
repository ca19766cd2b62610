/** What users who are not administrators see of others: sums without names. */
import type { Ranking } from "../../analyze/load/index.ts";
import type { Viewer } from "../access.ts";

/** Adds rows of other users to the rest. */
export function ownRanking(ranking: Ranking, viewer: Viewer): Ranking {
  if (viewer.isAdmin) return ranking;
  const isOwn = ({ user, id }: Ranking["rows"][number]) =>
    viewer.name !== null && (ranking.by === "user" ? id : user) === viewer.name;
  const rows = ranking.rows.filter(isOwn);
  const hidden = ranking.rows.filter((row) => !isOwn(row));
  const { others } = ranking;
  const sum = <Key extends keyof typeof others & keyof Ranking["rows"][number]>(key: Key) =>
    hidden.reduce((all, row) => all + (row[key] as bigint), others[key] as bigint);
  return {
    ...ranking,
    rows,
    others: {
      ...others,
      bytesRead: sum("bytesRead"),
      bytesWritten: sum("bytesWritten"),
      readCalls: sum("readCalls"),
      writeCalls: sum("writeCalls"),
      openCalls: sum("openCalls"),
      metadataCalls: sum("metadataCalls"),
      smallWriteCalls: sum("smallWriteCalls"),
      jobs: hidden.reduce((all, { jobs }) => all + jobs, others.jobs),
      share: hidden.reduce((all, { share }) => all + share, others.share),
      when:
        ranking.rows[0]?.when.map((_, at) =>
          hidden.reduce((all, { when }) => all + (when[at] ?? 0), others.when[at] ?? 0),
        ) ?? others.when,
    },
  };
}
