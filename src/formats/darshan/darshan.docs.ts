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
writes 3.41. Every command that takes logs also takes gzip files of them (\`.darshan.gz\`), with up to 256 MiB after gunzip; a
log is the same run with gzip and without.

| part | file | what it holds |
|---|---|---|
| header | \`header.ts\` | version, byte order, compression, where each region is, record versions, partial flags |
| job region | \`job.ts\` | user, times, processes, job number, metadata, command line, mount table |
| name region | \`names.ts\` | record id and name |
| module region | \`blocks.ts\`, \`dxt.ts\` | records one after another; word 0 is the record id, word 1 the rank (-1: all ranks) |

Records of old versions are upgraded: counters that did not exist become -1 ("not available"), POSIX version 1 records
that mix stdio and POSIX calls are left out and counted. A record id is the 64-bit hash of the name (\`record-id.ts\`).

Commands that judge or store a log leave out negative counters and times that no job can take (not finite, below a picosecond,
beyond 10^15 s over all ranks); a warning of the run counts them. Work follows the records: the number of processes in the job record
decides no memory, and \`report\`, \`findings\` and \`diff\` refuse a job of more than 2^31 - 1 processes, the most that MPI can number.

**Differences from darshan-util 3.5.0.** Plimsoll follows the bytes where the reference tools lose or garble them:
variances of POSIX version 3 records; three times in byte-swapped POSIX records below version 4; the byte-swapped partial
flag; thread ids of byte-swapped traces; UUIDs of byte-swapped DFS and DAOS records; a command line that fills the job
region; a list of layout flags longer than 63 characters. Every other line of \`darshan parse\` and \`darshan dxt\` that
carries a value is the same, byte for byte. Incomplete modules are printed with a warning, where darshan-parser stops.

**Conversion.** \`darshan convert\` writes format 3.41. Before it, times are whole seconds and the run time is end - start +
1 s; from 3.41 on it is end - start with nanoseconds. So the end of an older log moves by 1 s, and the run time stays; an end
of 0 (the job never finished) stays 0. The job record grew by 16 bytes: a command line or mount table that filled it is
cut, with a warning.

**Obfuscation.** \`darshan convert --obfuscate KEY\` replaces what says who ran what, where and when. Stand-ins are
HMAC-SHA-256 of the original under the key: equal in every log of the same key, and of no use to who does not have it.

| what | becomes |
|---|---|
| names of files, datasets and variables | each part of the path a stand-in; standard streams and names that Darshan gives its own records stay |
| mount points | the top folder stays (\`/home\` of \`/home/alice\`), so do \`/dev/shm\`, \`/var/tmp\` and \`/var/opt/cray/dws\`; other parts become stand-ins. Types of file systems stay |
| record ids, also inside records | stand-ins, since they are hashes of the names and a guessed name could be confirmed |
| job id, and those of BG/Q and APXC | a number below 2^48; darshan-convert hashes the job id to 32 bits |
| user id | a number below 2^31 |
| start and end of the job | 2.1 to 4.3 years earlier, by the same time in every log of a key: run times and distances between jobs stay, date and time of day do not. A clock that does not count from 1970 stays |
| command line | \`app-\` and a stand-in of the program; arguments go |
| metadata | only \`lib_ver\` stays; hints of MPI-IO (\`h=\`, which can name hosts) and notes go. darshan-convert keeps them |
| host names in DXT and APMPI, the place of a node in APXC | stand-ins |
| pools of Lustre; pool, container and object ids of DAOS | stand-ins |
| modules that are not known | left out, with a warning |

Counters stay: sizes, offsets, ranks, numbers of OSTs, times since the start of the job. Who has the original log, or one of
the same job, can recognise it by them.

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
