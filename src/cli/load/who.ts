/** `plimsoll who`: which jobs and users loaded a target. */
import { rank, rankingDocument, askedOf, usualMeasure, zoned } from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { thisCommand } from "../again.ts";
import { defineCommand } from "../command.ts";
import {
  aboutOf,
  isoTime,
  originOf,
  show,
  STORE_OPTIONS,
  TARGET_OPTION,
  TIME_OPTIONS,
  windowJson,
  withStore,
} from "./options.ts";
import { rankingJson } from "./ranking-json.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "who",
  description:
    "Sums the job counters of one or more targets (default: all) over a time range and shows the jobs, users or accounts with the most load: bytes, calls, metadata operations, their share and when. The remaining jobs are one row, and the load that the targets counted beyond their jobs is another, so that shares add up to 100 %. Rows are sorted by bytes, or by metadata operations if all targets are MDTs; --order changes this. A counter delta counts in the minute of the later sample.",
  options: {
    ...TARGET_OPTION,
    ...TIME_OPTIONS,
    by: option.choice(["job", "user", "account"], "group by job, user or account", { default: "job" }),
    order: option.choice(
      ["bytes", "read", "write", "calls", "metadata", "opens"],
      "sort by (default: bytes; metadata if all targets are MDTs)",
    ),
    limit: option.whole("number of rows", { min: 1, max: 10_000, default: 10 }),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll who --store centre --target OST0007 --from 2018-06-07T10:00 --to 2018-06-07T12:00":
      "the ten jobs with the most load on a target in two hours",
    "plimsoll who --store centre --target 'MDT*' --from -2h --by user":
      "users by metadata operations in the last two hours",
    "plimsoll who --store centre --from yesterday --to today --by account": "yesterday's load by account",
  },
  async run({ options: given }, context) {
    await withStore(given, async (db) => {
      const options = await zoned(db, given);
      const asked = await askedOf(db, options, Date.now() / 1000);
      const order = options.order ?? usualMeasure(asked.targets);
      const ranking = await rank(db, {
        by: options.by,
        order,
        limit: options.limit,
        source: "servers",
        window: asked.window,
        condition: asked.condition,
        smallBytes: 0,
      });
      if (ranking.jobs === 0 && ranking.unexplained === null)
        throw new UsageError(
          `no minutes of ${asked.targetsText} from ${isoTime(60 * asked.window.from)} to ${isoTime(60 * asked.window.to)}: the store has no samples in this time range (which does not mean zero load); list them with ${commandLine(["plimsoll", "sql", "--store", options.store, "select * from readings"])}`,
        );
      const command = thisCommand(context);
      const document = rankingDocument(
        ranking,
        { title: `Who loaded ${asked.targetsText}`, targets: asked.targetsText },
        aboutOf(command, options.zone),
      );
      const json = {
        ...windowJson(asked.window),
        targets: asked.targets,
        ...rankingJson(ranking),
      };
      const origin = await originOf(db, "readings");
      await show(document, json, { output: options.output, origin }, context);
    });
  },
});
