/** Intact logs with odd or borderline content. */
import {
  type Recipe,
  SOUND,
  SOUND_NOTES,
  SOUND_READ,
  SOUND_WRITTEN,
  type SoundPlan,
  soundLog,
} from "./plan.ts";

const GOOD = "sound.darshan";
const HUGE = 2n ** 53n + 1n;
const LARGEST = 2n ** 63n - 1n;

/** A log that is read whole. */
function odd(
  name: string,
  about: string,
  plan: SoundPlan,
  expected: Partial<Omit<Recipe, "make">> = {},
): Recipe {
  return {
    name,
    about,
    outcome: "read",
    ...SOUND,
    ...expected,
    make: (encoders) => soundLog(plan, encoders),
  };
}

const text = (value: string) => new TextEncoder().encode(value);

export const ODD: readonly Recipe[] = [
  odd(GOOD, "nothing is wrong", {}),
  odd("sound-again.darshan", "the same log under another name", {}, { outcome: "duplicate", of: GOOD }),
  odd("same-job.darshan", "another log of the same job", { job: { startSeconds: 1_510_000_060 } }),
  odd("partial.darshan", "the POSIX module ran out of memory", { partial: true }, { partial: true }),
  odd("no-lustre.darshan", "no LUSTRE module: the layout is unknown", { withoutLustre: true }),
  odd("no-processes.darshan", "a job of 0 processes", { job: { nprocs: 0 } }),
  odd("negative-time.darshan", "a negative time", {
    posix: { POSIX_F_READ_TIME: -1.5, POSIX_F_SLOWEST_RANK_TIME: -1 },
  }),
  odd("nan-time.darshan", "a time that is not a number", {
    posix: { POSIX_F_READ_TIME: Number.NaN, POSIX_F_SLOWEST_RANK_TIME: Number.NaN },
  }),
  odd("clock-step.darshan", "the clock was set while the job ran: times beyond its end", {
    posix: { POSIX_F_CLOSE_END_TIMESTAMP: 4_000_000 },
  }),
  odd(
    "end-before-start.darshan",
    "the job ended before it began",
    { job: { endSeconds: 1_509_999_000 } },
    { clock: "end before start" },
  ),
  odd(
    "no-end.darshan",
    "the job has no end",
    { job: { endSeconds: 0, endNanoseconds: 0 } },
    { clock: "no end" },
  ),
  odd(
    "year-1970.darshan",
    "a clock that started at the Epoch",
    { job: { startSeconds: 60, endSeconds: 180 } },
    { clock: "too early" },
  ),
  odd(
    "future.darshan",
    "a job of the year 2100",
    { job: { startSeconds: 4_102_444_800, endSeconds: 4_102_444_920 } },
    { clock: "in the future" },
  ),
  odd(
    "beyond-2-53.darshan",
    "2^53 + 1 bytes, which a double cannot hold",
    { posix: { POSIX_BYTES_READ: HUGE } },
    { bytesRead: HUGE },
  ),
  odd(
    "largest-counters.darshan",
    "counters at 2^63 - 1",
    { posix: { POSIX_BYTES_READ: LARGEST, POSIX_READS: LARGEST, POSIX_BYTES_WRITTEN: 0 } },
    { bytesRead: LARGEST, bytesWritten: BigInt(SOUND_NOTES) },
  ),
  odd(
    "negative-counters.darshan",
    "-1, which means not available, and -5, which means nothing",
    { posix: { POSIX_BYTES_READ: -1, POSIX_READS: -5 } },
    { bytesRead: 0n },
  ),
  odd("name-newline.darshan", "a path with a newline", { path: "/scratch/project/two\nlines.h5" }),
  odd("name-tab.darshan", "a path with a tab", { path: "/scratch/project/a\ttab.h5" }),
  odd("name-not-utf8.darshan", "a path that is not UTF-8", {
    path: Uint8Array.of(...text("/scratch/project/"), 0xff, 0xfe, 0xc3, ...text(".h5")),
  }),
  odd("name-4k.darshan", "a path of 4,096 bytes", {
    path: `/scratch/${"long/".repeat(817)}file.h5`.padEnd(4096, "x"),
  }),
  odd(
    "name-empty.darshan",
    "a path without a character",
    { path: "" },
    { bytesRead: BigInt(SOUND_READ), bytesWritten: BigInt(SOUND_WRITTEN + SOUND_NOTES) },
  ),
];
