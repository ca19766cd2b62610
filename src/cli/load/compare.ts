/** `plimsoll compare`: what changed between two times. */
import {
  answerable,
  CHANGE_KINDS,
  compareTimes,
  comparisonDocument,
  MEASURES,
  parsePeriod,
  askedTargets,
  usualMeasure,
  zoned,
} from "../../analyze/load/index.ts";
import { csvText } from "../../base/csv.ts";
import { UsageError } from "../../base/errors.ts";
import { isSynthetic } from "../../model/index.ts";
import { thisCommand } from "../again.ts";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { aboutOf, originOf, show, STORE_OPTIONS, TARGET_OPTION, windowJson, withStore } from "./options.ts";

const PERIOD = "today, yesterday, 2018-06-07, week, last-week, or FROM..TO";

export default defineCommand({
  name: "compare",
  description:
    "Compares the job load of two periods: totals, and the users, accounts, jobs and targets that changed most. Amounts are per hour, so that a day can be compared with half a day; today ends with the last sample of the store. A share is the part of all changes, increases and decreases together, so that the absolute shares of a list add up to 100 %. Weeks start on Monday.",
  options: {
    a: option.text("PERIOD", `first period: ${PERIOD}`, { default: "yesterday" }),
    b: option.text("PERIOD", `second period: ${PERIOD}`, { default: "today" }),
    ...TARGET_OPTION,
    order: option.choice(MEASURES, "compare by (default: bytes; metadata if all targets are MDTs)"),
    limit: option.whole("number of rows in each list", { min: 1, max: 10_000, default: 10 }),
    csv: option.flag("print CSV"),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll compare --store centre --a yesterday --b today": "what is different today",
    "plimsoll compare --store centre --a 2018-06-07T10:00..2018-06-07T12:00 --b 2018-06-08T10:00..2018-06-08T12:00 --target 'MDT*'":
      "metadata targets, the same two hours on two days",
  },
  async run({ options: given }, context) {
    if (given.csv && context.json) throw new UsageError("--csv and --json: choose one");
    await withStore(given, async (db) => {
      const options = await zoned(db, given);
      const { zone, limit } = options;
      const { stored, ...asked } = await askedTargets(db, options.target);
      const clock = { zone, nowUnix: Date.now() / 1000, stored };
      const period = async (what: string, text: string) =>
        answerable(db, parsePeriod(what, text, clock), stored);
      const comparison = await compareTimes(db, {
        a: await period("--a", options.a),
        b: await period("--b", options.b),
        condition: asked.condition,
        targets: asked.targets,
        measure: options.order ?? usualMeasure(asked.targets),
        smallBytes: 65_536,
        limit,
      });
      const origin = await originOf(db, "readings");
      if (options.csv) {
        const columns = ["kind", "name", "user", "a_per_hour", "b_per_hour", "change", "share", "synthetic"];
        const rows = CHANGE_KINDS.flatMap((kind) =>
          comparison.kinds[kind].rows.map(({ name, user, a, b, change, share }) => [
            ...[kind, name, user, a, b, change, share, isSynthetic(origin) ? 1 : 0],
          ]),
        );
        context.out.write(csvText([columns, ...rows]));
        return;
      }
      const command = thisCommand(context);
      const document = comparisonDocument(comparison, asked.targetsText, aboutOf(command, zone));
      const { a, b, kinds, measure } = comparison;
      const side = ({ window, ...rest }: typeof a) => ({ ...windowJson(window), ...rest });
      const lists = Object.fromEntries(CHANGE_KINDS.map((kind) => [`${kind}s`, kinds[kind].rows]));
      const others = Object.fromEntries(CHANGE_KINDS.map((kind) => [`${kind}s`, kinds[kind].others]));
      const json = { measure, a: side(a), b: side(b), ...lists, others };
      await show(document, json, { output: options.output, origin }, context);
    });
  },
});
