/** `plimsoll demo`: a first look, on logs made here and now. */
import { existsSync } from "node:fs";
import { version } from "../../package.json";
import { textTable } from "../base/text-table.ts";
import { formatBytes, formatRate, formatSeconds } from "../base/units.ts";
import { type Demo, makeDemo, REPORTED } from "../demo/index.ts";
import { wrap } from "../report/text/index.ts";
import { defineCommand } from "./command.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "demo",
  description:
    "Generates four small synthetic Darshan logs, reads them back, and writes logs, text, JSON and a report to a folder. Then writes 32 MiB to four folders that act as storage targets, one throttled to an eighth of the speed of the others, without and with adaptation, and keeps the dataset and a figure.",
  options: {
    output: option.text("DIR", "output folder; replaces an earlier demonstration", {
      short: "o",
      default: "plimsoll-demo",
    }),
    seed: option.whole("random seed", { default: 1 }),
  },
  examples: {
    "plimsoll demo": "write plimsoll-demo/ and list its contents",
  },
  async run({ options }, context) {
    const demo = await makeDemo(
      { path: options.output, seed: options.seed, madeBy: `Plimsoll ${version}` },
      context,
    );
    if (context.json) context.printJson(demo);
    else context.out.write(summary(demo, context.columns));
  },
});

function table(rows: Demo["logs"]): string {
  const columns = [
    { label: "log", min: 26 },
    { label: "ranks", right: true },
    { label: "files", right: true, min: 6 },
    { label: "moved", right: true, min: 9 },
    { label: "I/O time", right: true, min: 9 },
    { label: "throughput", right: true, min: 11 },
  ];
  const cells = rows.map(({ file, ranks, files, bytesMoved, seconds, bytesPerSecond }) => [
    ...[file, String(ranks), String(files), formatBytes(bytesMoved), formatSeconds(seconds)],
    formatRate(bytesPerSecond),
  ]);
  return textTable(columns, cells, { gap: " " }).join("\n");
}

function summary({ folder, logs: rows, report, ...demo }: Demo, columns: number): string {
  const { picture } = demo.adaptive;
  const [verdict, writing] = [demo.verdict, demo.adaptive.verdict].map((text) =>
    wrap(text, columns).join("\n"),
  );
  const first = rows[0]?.file ?? "";
  // In a checkout nothing is on PATH.
  const program = existsSync("bin/plimsoll") ? "./bin/plimsoll" : "plimsoll";
  return `Made ${rows.length} Darshan logs (synthetic), read them back, and wrote ${folder}/:

${table(rows)}

${rows.map(({ file, about }) => `  ${file}: ${about}`).join("\n")}

I/O time: slowest rank. The verdict on ${REPORTED}:

${verdict}

Open ${report} in a browser: findings, heat map, timeline, files.

Then 32 MiB were written to four folders that act as storage targets, one throttled to an eighth of the speed of the others:

${writing}

Open ${picture} to see which writer wrote where. Next:
  ${program} report ${folder}/${REPORTED}
  ${program} findings --list
  ${program} darshan parse --perf ${folder}/${first}
  ${program} darshan dxt ${folder}/small-writes.darshan | head -30
  ${program} ls ${folder}/checkpoint.bp
  ${program} record -- dd if=/dev/zero of=/tmp/plimsoll-dd bs=64k count=1000
  ${program} sim run jaguar --writers 4096
  ${program} ncio --backend servers --pause 0
  ${program} --help
A centre of 49,000 logs, and the study of how its files are reused (a minute in all):
  ${program} generate reuse --output centre
  ${program} ingest centre/logs --store centre-store
  ${program} study reuse --store centre-store --zone America/Los_Angeles -o study
A site with Lustre, who loads it, and the study of its jobs (ten seconds in all):
  ${program} generate sitewide --scale 0.01 --tables --output site
  ${program} top users --store site/store
  ${program} study system --store site/store --zone America/Los_Angeles -o site-study
`;
}
