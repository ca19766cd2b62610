/** docs/formats/darshan.md: the format as this reader understands it, with every counter. */
import { MODULES, type ModuleSpec } from "./modules/index.ts";

export const path = "docs/formats/darshan.md";

export function generate(): string {
  return [INTRO, ...MODULES.map(section)].join("\n");
}

const INTRO = `# Darshan logs

Made by \`npm run docs\` from \`src/formats/darshan/\`; do not edit.

A log is a header, then compressed regions: job, names, one per module. Plimsoll reads format versions 3.00, 3.10, 3.20,
3.21 and 3.41 in both byte orders, compressed with zlib (many streams per region), with bzip2, or not at all, and
writes 3.41.

| part | file | what it holds |
|---|---|---|
| header | \`header.ts\` | version, byte order, compression, where each region is, record versions, partial flags |
| job region | \`job.ts\` | user, times, processes, job number, metadata, command line, mount table |
| name region | \`names.ts\` | record id and name |
| module region | \`blocks.ts\`, \`dxt.ts\` | records one after another; word 0 is the record id, word 1 the rank (-1: all ranks) |

Records of old versions are upgraded: counters that did not exist become -1 ("not available"), POSIX version 1 records
that mix stdio and POSIX calls are left out and counted. A record id is the 64-bit hash of the name (\`record-id.ts\`).

**Differences from darshan-util 3.5.0.** Plimsoll follows the bytes where the reference tools lose or garble them:
variances of POSIX version 3 records; three times in byte-swapped POSIX records below version 4; the byte-swapped partial
flag; thread ids of byte-swapped traces; UUIDs of byte-swapped DFS and DAOS records; a command line that fills the job
region; a list of layout flags longer than 63 characters. Every other line of \`darshan parse\` and \`darshan dxt\` that
carries a value is the same, byte for byte. Incomplete modules are printed with a warning, where darshan-parser stops.

**Limits.** Nothing in a file is trusted. Bytes after decompression, records, bytes of a record, bytes of a name and of
the name table are bounded by options; regions must lie inside the file and may not overlap.
`;

function section(spec: ModuleSpec): string {
  const versions = Object.entries(spec.versions).map(
    ([version, { words }]) =>
      `${version}: ${8 * words} bytes${spec.kind === "fixed" || spec.kind === "headed" ? "" : " and more"}`,
  );
  const slots = spec.slots.map((slot) => (slot < 0 ? "–" : String(slot))).join(", ");
  const counters = [...spec.integers, ...spec.reals];
  const parts = [
    `## ${spec.name}`,
    `${spec.about[0]?.toUpperCase()}${spec.about.slice(1)}. Record versions ${versions.join("; ")}. Slot in 3.00–3.10, 3.20–3.21, 3.41: ${slots}.`,
  ];
  // APMPI and APXC repeat a few counters hundreds of times; the table would hide them.
  if (counters.length > 150)
    parts.push(`${counters.length} counters, from \`${counters[0]?.name}\` to \`${counters.at(-1)?.name}\`.`);
  else if (counters.length > 0) {
    parts.push(
      [
        "| counter | unit | meaning |",
        "|---|---|---|",
        ...counters.map(({ name, unit, meaning }) => `| \`${name}\` | ${unit} | ${meaning} |`),
      ].join("\n"),
    );
  }
  return `${parts.join("\n\n")}\n`;
}
