/** `plimsoll week`: one page about a week. */
import {
  answerable,
  lastWeek,
  parsePeriod,
  weekAnswer,
  weekDocument,
  weekFindings,
  askedTargets,
  zoned,
} from "../../analyze/load/index.ts";
import { thisCommand } from "../again.ts";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { aboutOf, originOf, show, STORE_OPTIONS, windowJson, withStore } from "./options.ts";

export default defineCommand({
  name: "week",
  description:
    "Makes a weekly report of one page to print: bytes per day, latency and volume compared with up to four earlier weeks, target fill levels, projects (scheduler accounts), and three findings: the largest deviations from normal in volume, latency, fill level, the share of one account, the metadata operations of one user, the load of one target, and gaps in the samples. The week is the last seven whole days of the store, unless --of gives another period.",
  options: {
    of: option.text(
      "PERIOD",
      "week, last-week, or FROM..TO (default: the last seven whole days of the store)",
    ),
    limit: option.whole("number of projects", { min: 1, max: 1000, default: 10 }),
    csv: option.flag("print the weeks as CSV"),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll week --store centre -o week.html": "a page for the meeting",
    "plimsoll week --store centre --of last-week --zone Europe/Berlin": "from Monday to Sunday",
  },
  async run({ options: given }, context) {
    await withStore(given, async (db) => {
      const options = await zoned(db, given);
      const { zone } = options;
      const { stored } = await askedTargets(db, []);
      const clock = { zone, nowUnix: Date.now() / 1000, stored };
      const period =
        options.of === undefined ? lastWeek(zone, stored) : parsePeriod("--of", options.of, clock);
      const answer = await weekAnswer(db, await answerable(db, period, stored), zone, options.limit);
      const command = thisCommand(context);
      const shown = { output: options.output, origin: await originOf(db, "readings"), csv: false };
      const numbers = ({ window, ...rest }: typeof answer.week) => ({ ...windowJson(window), ...rest });
      const json = {
        week: numbers(answer.week),
        before: answer.before.map(numbers),
        findings: weekFindings(answer),
        days: answer.days,
        accounts: answer.accounts.rows.map(({ id, ...row }) => ({ ...row, account: id })),
        users: answer.users.rows.map(({ id, ...row }) => ({ ...row, user: id })),
        fullness: answer.fullness,
      };
      const document = weekDocument(answer, aboutOf(command, zone));
      if (!options.csv) return show(document, json, shown, context);
      const weeks = document.sections.filter(({ id }) => id === "weeks");
      await show({ ...document, sections: weeks }, json, { ...shown, csv: true }, context);
    });
  },
});
