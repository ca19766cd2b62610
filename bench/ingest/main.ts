/** `npm run bench ingest`: logs into a store, cold, by whole commands; and again as the store grows. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application, osts } from "../../src/generate/single/application.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

const [root = "."] = process.argv.slice(2);
/** Logs per step; PLIMSOLL_BENCH_LOGS changes it. */
const LOGS = Number(process.env.PLIMSOLL_BENCH_LOGS ?? 30_000);
const STEPS = Number(process.env.PLIMSOLL_BENCH_STEPS ?? 3);

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, Node ${process.version}; ${STEPS} steps of ${LOGS} logs`,
  );
  console.log("step\tlogs in the store\tbytes a log\tseconds\tlogs/s\tpeak MB\tagain: seconds\tlogs/s");
  for (let step = 0; step < STEPS; step++) {
    const folder = join(work, `step${step}`);
    const bytes = makeLogs(folder, step);
    const first = ingest(folder);
    const again = ingest(folder);
    console.log(
      [
        step + 1,
        LOGS * (step + 1),
        Math.round(bytes / LOGS),
        first.seconds.toFixed(2),
        Math.round(LOGS / first.seconds),
        Math.round(first.peakMb),
        again.seconds.toFixed(2),
        Math.round(LOGS / again.seconds),
      ].join("\t"),
    );
    rmSync(folder, { recursive: true });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

function ingest(folder: string): { seconds: number; peakMb: number } {
  const notes = join(work, "time");
  const command = [
    process.execPath,
    join(root, "bin", "plimsoll"),
    "ingest",
    folder,
    "--store",
    join(work, "store"),
  ];
  const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %M", ...command], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`ingest failed: ${child.stderr}`);
  const [seconds = 0, kib = 0] = readFileSync(notes, "utf8").trim().split(" ").map(Number);
  return { seconds, peakMb: kib / 1024 };
}

/** Small jobs on files that others use too; bytes in all. */
function makeLogs(folder: string, step: number): number {
  let bytes = 0;
  for (let i = 0; i < LOGS; i++) {
    const place = join(folder, String(Math.floor(i / 1000)));
    if (i % 1000 === 0) mkdirSync(place, { recursive: true });
    const random = new Random(step * LOGS + i + 1);
    const job = new Application(1 + random.below(4), random);
    for (let f = 0; f <= random.below(6); f++) {
      const file = job.lustre(`user${i % 50}/data.${random.below(5000)}.h5`, osts(random.below(200), 1));
      for (let rank = 0; rank < job.ranks; rank++) {
        job.open("POSIX", rank, file);
        for (let k = 0; k <= random.below(4); k++)
          job.write("POSIX", rank, file, {
            offset: k * rank * 2 ** 20,
            bytes: 4096 * (1 + random.below(200)),
          });
        job.close("POSIX", rank, file);
      }
    }
    const plan = job.plan(`app${random.below(40)}`, { heatmap: random.below(2) === 0 });
    const log = recordLog({ ...plan, jobId: step * LOGS + i }, nodeEncoders).bytes;
    writeFileSync(join(place, `log${i}.darshan`), log);
    bytes += log.length;
  }
  return bytes;
}
