/** `npm run bench top`: rankings over many small logs without a store, by whole commands. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application, osts } from "../../src/generate/single/application.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

const [root = "."] = process.argv.slice(2);
/** PLIMSOLL_BENCH_LOGS changes it. */
const LOGS = Number(process.env.PLIMSOLL_BENCH_LOGS ?? 50_000);
/** The generator takes longer than what is measured, so it makes these and they are written again and again. */
const DIFFERENT = 500;

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const bytes = makeLogs();
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}; ${LOGS} logs of ${Math.round(bytes / LOGS)} bytes`,
  );
  console.log("ranking\tseconds\tlogs/s\tpeak MB");
  for (const what of ["runs", "files", "applications", "runs"]) {
    const { seconds, peakMb } = top(what);
    console.log([what, seconds.toFixed(2), Math.round(LOGS / seconds), Math.round(peakMb)].join("\t"));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

function top(what: string): { seconds: number; peakMb: number } {
  const notes = join(work, "time");
  const command = [
    process.execPath,
    join(root, "bin", "plimsoll"),
    "top",
    what,
    join(work, "logs"),
    "--json",
  ];
  const options = { encoding: "utf8", maxBuffer: 1 << 28 } as const;
  const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %M", ...command], options);
  if (child.status !== 0) throw new Error(`top failed: ${child.stderr}`);
  const { total } = JSON.parse(child.stdout) as { total: number };
  if (what === "runs" && total !== LOGS) throw new Error(`${total} of ${LOGS} logs were read`);
  const [seconds = 0, kib = 0] = readFileSync(notes, "utf8").trim().split(" ").map(Number);
  return { seconds, peakMb: kib / 1024 };
}

/** Small jobs on files that others use too; bytes in all. */
function makeLogs(): number {
  const logs = Array.from({ length: Math.min(DIFFERENT, LOGS) }, (_, i) => {
    const random = new Random(i + 1);
    const job = new Application(1 + random.below(4), random);
    for (let f = 0; f <= random.below(6); f++) {
      const file = job.lustre(`user${i % 50}/data.${random.below(5000)}.h5`, osts(random.below(200), 1));
      for (let rank = 0; rank < job.ranks; rank++) {
        job.open("POSIX", rank, file);
        job.write("POSIX", rank, file, { offset: rank * 2 ** 20, bytes: 4096 * (1 + random.below(200)) });
        job.close("POSIX", rank, file);
      }
    }
    const plan = job.plan(`app${random.below(40)}`, { heatmap: random.below(2) === 0 });
    return recordLog({ ...plan, jobId: i }, nodeEncoders).bytes;
  });
  let bytes = 0;
  for (let i = 0; i < LOGS; i++) {
    const place = join(work, "logs", String(Math.floor(i / 1000)));
    if (i % 1000 === 0) mkdirSync(place, { recursive: true });
    const log = logs[i % logs.length] as Uint8Array;
    writeFileSync(join(place, `log${i}.darshan`), log);
    bytes += log.length;
  }
  return bytes;
}
