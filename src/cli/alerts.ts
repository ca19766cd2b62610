/** `plimsoll alerts`: judges rules on a store. */
import { CheckFailed } from "../base/errors.ts";
import { alertRules, DEFAULT_ALERTS, judgeAlerts, parseTime, storedTime } from "../analyze/load/index.ts";
import { formatMany } from "../base/units.ts";
import { provenanceJson, provenancePrefix } from "../model/index.ts";
import { defineCommand } from "./command.ts";
import { readAlertRules } from "./alert-rules.ts";
import { option } from "./option.ts";
import { ENGINE_OPTIONS, originOf, withStore } from "./store/options.ts";

export default defineCommand({
  name: "alerts",
  description:
    "Checks a store against alert rules and prints one line for each rule that fires: one user's share of the metadata load, a target far above others of its kind, full targets, latency against its own last four weeks, silent collectors, missing samples. Exit code 1 if one fires, 2 if the rules cannot be read. Rules are data: --rules reads a JSON file (examples/alerts.json has the built-in ones). Rules without data are listed on stderr.",
  options: {
    store: option.text("DIR", "store to read"),
    rules: option.text("FILE.json", "rules (default: built-in rules)"),
    at: option.text("TIME", "evaluate at this time: now, end (of the store), 2018-06-07T10:00, -2h", {
      default: "now",
    }),
    zone: option.text("TEXT", "time zone of --at", { default: "UTC" }),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll alerts --store centre": "check the built-in rules now",
    "plimsoll alerts --store centre --rules alerts.json --json": "your own rules, for a script",
  },
  async run({ options }, context) {
    const rules =
      options.rules === undefined
        ? alertRules(DEFAULT_ALERTS, "built-in rules")
        : readAlertRules(options.rules);
    const { fired, prefix } = await withStore(options, async (db) => {
      const stored = await storedTime(db);
      const nowUnix = Date.now() / 1000;
      const at = parseTime("--at", options.at, { zone: options.zone, nowUnix, stored });
      const { alerts, unjudged } = await judgeAlerts(db, rules, at);
      const origin = await originOf(db, "readings");
      if (context.json)
        context.printJson({
          at: new Date(at * 1000).toISOString(),
          rules: rules.length,
          alerts,
          unjudged,
          ...provenanceJson(origin),
        });
      else {
        for (const { rule, subject, text } of alerts)
          context.out.write(`${provenancePrefix(origin)}${rule}: ${oneLine(subject)}: ${text}\n`);
        for (const { rule, reason } of unjudged) context.note(`${rule} not judged: ${reason}`);
      }
      return { fired: alerts.length, prefix: provenancePrefix(origin) };
    });
    if (fired > 0) throw new CheckFailed(fired === 1 ? "1 alert" : `${fired} alerts`);
    if (!context.json) context.out.write(`${prefix}no alerts from ${formatMany(rules.length, "rule")}\n`);
  },
});

const oneLine = (text: string) => text.replace(/[\x00-\x1f\x7f]+/g, " ");
