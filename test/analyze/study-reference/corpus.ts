/** Small random centres: every shape that the study must not stumble over, from a seed. */
import { Random } from "../../../src/base/prng.ts";
import type { AccessRow, RunRow } from "./reference.ts";

export interface Corpus {
  readonly runs: RunRow[];
  readonly accesses: AccessRow[];
  readonly files: { file_id: bigint; path: string; mount: string; fs_type: string }[];
}

export interface CorpusOptions {
  readonly seed: number;
  readonly files?: number;
  readonly startUnix?: number;
  readonly days?: number;
}

/** About half of the files are I/O-intensive; ties, balanced, empty, incomplete and misclocked accesses among them. */
export function randomCorpus({
  seed,
  files = 80,
  startUnix = 1_506_841_200,
  days = 123,
}: CorpusOptions): Corpus {
  const random = new Random(seed);
  const corpus: Corpus = { runs: [], accesses: [], files: [] };
  const gb = 1_000_000_000;
  let runId = 1n;
  const addRun = (clock: string, start: number): RunRow => {
    const run: RunRow = {
      // Not in the order of time, so that ties by id are seen.
      run_id: (runId++ * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn,
      user_id: 1000 + random.below(5),
      application_id: BigInt(random.below(6)) * 0x1234567890abcdefn,
      start_unix_ns: BigInt(start) * 1_000_000_000n,
      end_unix_ns: BigInt(start + 60 + random.below(7200)) * 1_000_000_000n,
      clock,
      modules: random.unit() < 0.8 ? "POSIX LUSTRE" : "POSIX",
    };
    corpus.runs.push(run);
    return run;
  };
  const addAccess = (
    run: RunRow,
    file: number,
    mount: string,
    read: number,
    written: number,
    osts: string | null,
  ) => {
    const io = random.unit() < 0.03 ? null : random.exponential(100);
    const variances = random.unit() < 0.9;
    corpus.accesses.push({
      run_id: run.run_id,
      file_id: (BigInt(file + 1) * 0xd1342543de82ef95n) & 0xffffffffffffffffn,
      application_id: run.application_id,
      user_id: run.user_id,
      start_unix_ns: run.start_unix_ns,
      end_unix_ns: run.end_unix_ns,
      mount,
      layer: random.pick(["POSIX", "POSIX", "POSIX", "MPI-IO", "STDIO"]),
      ranks: 1 + random.below(64),
      partial: random.unit() < 0.03 ? 1 : 0,
      bytes_read: BigInt(Math.round(read)),
      bytes_written: BigInt(Math.round(written)),
      slowest_seconds: io,
      read_seconds: io === null ? null : 3 * io,
      write_seconds: random.unit() < 0.5 ? null : random.unit(),
      meta_seconds: io === null ? null : random.unit(),
      variance_seconds: variances ? random.exponential(4) : null,
      variance_bytes: variances ? random.exponential(1e12) : null,
      osts,
    });
  };
  for (let file = 0; file < files; file++) {
    const mount = random.pick(["/scratch", "/scratch", "/scratch", "/home", "/var/opt/cray/dws/mounts/a"]);
    corpus.files.push({
      file_id: (BigInt(file + 1) * 0xd1342543de82ef95n) & 0xffffffffffffffffn,
      path: `${mount}/file ${file}`,
      mount,
      fs_type: "lustre",
    });
    const large = random.unit() < 0.6;
    const n = random.unit() < 0.2 ? 1 : 2 + random.below(25);
    const lean = random.pick(["read", "write", "mixed", "mixed"]);
    const first = random.below(16);
    const osts =
      random.unit() < 0.1 ? null : random.unit() < 0.9 ? `${first}` : `${first} ${first + 1} ${first + 2}`;
    const amount =
      (large ? (20 + 400 * random.unit()) * gb : 1e6 * random.unit()) * (random.unit() < 0.1 ? 10 : 1);
    for (let i = 0; i < n; i++) {
      // Whole hours make ties in start time likely.
      const start =
        startUnix + (random.unit() < 0.3 ? 3600 * random.below(days * 24) : random.below(days * 86_400));
      const run = addRun(
        random.unit() < 0.04 ? random.pick(["no end", "too early", "in the future"]) : "ok",
        start,
      );
      const part = amount * (0.9 + 0.2 * random.unit());
      const kind = random.unit();
      if (kind < 0.04) addAccess(run, file, mount, 0, 0, osts);
      else if (kind < 0.08) addAccess(run, file, mount, Math.round(part), Math.round(part), osts);
      else if (lean === "read" || (lean === "mixed" && random.unit() < 0.6))
        addAccess(run, file, mount, part, random.unit() < 0.3 ? part * 0.2 * random.unit() : 0, osts);
      else addAccess(run, file, mount, random.unit() < 0.3 ? part * 0.2 * random.unit() : 0, part, osts);
      // Some runs touch a second file.
      if (random.unit() < 0.2 && file > 0)
        addAccess(run, file - 1, corpus.files[file - 1]!.mount, part / 3, 0, null);
    }
  }
  return corpus;
}
