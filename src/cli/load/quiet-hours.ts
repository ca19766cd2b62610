/** `plimsoll quiet-hours`: when targets are quiet. */
import {
  parseLength,
  quietDocument,
  quietHours,
  withMinutes,
  askedOf,
  usualMeasure,
  zoned,
} from "../../analyze/load/index.ts";
import { quickContention } from "../../analyze/study/system/index.ts";
import { UsageError } from "../../base/errors.ts";
import { thisCommand } from "../again.ts";
import { defineCommand } from "../command.ts";
import {
  aboutOf,
  originOf,
  show,
  STORE_OPTIONS,
  TARGET_OPTION,
  TIME_OPTIONS,
  windowJson,
  withStore,
} from "./options.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "quiet-hours",
  description:
    "Computes target load by hour of day and weekday, with median and 90th percentile over days, and finds the window of the given length with the least load, how much quieter it is than a typical one, and busy hours. Contention hours are those of study system; in a store with millions of rows of minutes, or 100,000 jobs, only study system computes them. Confidence: the window is chosen from one half of the days and tested on the other. Times without samples count as unknown, never as quiet.",
  options: {
    ...TARGET_OPTION,
    ...TIME_OPTIONS,
    length: option.text("LENGTH", "window length: a multiple of 15 minutes, up to a day", { default: "2h" }),
    order: option.choice(
      ["bytes", "read", "write", "calls", "metadata", "opens"],
      "load metric (default: bytes; metadata if all targets are MDTs)",
    ),
    "least-days": option.whole("minimum number of days of data", { min: 2, max: 1000, default: 7 }),
    busy: option.number("hours with N times the median load are busy", {
      min: 1,
      max: 100,
      default: 1.5,
    }),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll quiet-hours --store centre --zone America/Los_Angeles --length 3h":
      "the three hours with the least load",
    "plimsoll quiet-hours --store centre --target 'MDT*'": "quiet hours of the metadata targets",
  },
  async run({ options: given }, context) {
    const lengthMinutes = parseLength("--length", given.length) / 60;
    if (lengthMinutes % 15 !== 0 || lengthMinutes > 1440)
      throw new UsageError(`--length ${given.length}: expected a multiple of 15m, up to 24h`);
    await withStore(given, async (db) => {
      const options = await zoned(db, given);
      const asked = await askedOf(db, options, Date.now() / 1000);
      const answer = await quietHours(db, {
        window: await withMinutes(db, asked.window),
        condition: asked.condition,
        measure: options.order ?? usualMeasure(asked.targets),
        zone: options.zone,
        lengthMinutes,
        leastDays: options.leastDays,
        busyRatio: options.busy,
      });
      const command = thisCommand(context);
      const contention = await quickContention(db, { zone: options.zone });
      const about = aboutOf(command, options.zone);
      const document = quietDocument(answer, asked.targetsText, contention, about);
      const { window, ...rest } = answer;
      await show(
        document,
        {
          ...windowJson(window),
          targets: asked.targets,
          ...rest,
          contentionHours: contention?.hours ?? null,
          contention: contention && { verdict: contention.verdict, reason: contention.reason },
        },
        { output: options.output, origin: await originOf(db, "readings") },
        context,
      );
    });
  },
});
