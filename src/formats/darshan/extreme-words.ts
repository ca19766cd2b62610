import type { Places } from "./layer-counters.ts";

export type ExtremeWords = ReturnType<typeof extremeWords>;

/** Where the times and bytes of single ranks and calls stand; -1 when the module has none. */
export const extremeWords = ({ at }: Places) => ({
  longestRead: at("F_MAX_READ_TIME"),
  longestReadBytes: at("MAX_READ_TIME_SIZE"),
  longestWrite: at("F_MAX_WRITE_TIME"),
  longestWriteBytes: at("MAX_WRITE_TIME_SIZE"),
  slowest: at("F_SLOWEST_RANK_TIME"),
  slowestRank: at("SLOWEST_RANK"),
  slowestBytes: at("SLOWEST_RANK_BYTES"),
  fastest: at("F_FASTEST_RANK_TIME"),
  fastestRank: at("FASTEST_RANK"),
  fastestBytes: at("FASTEST_RANK_BYTES"),
  varianceSeconds: at("F_VARIANCE_RANK_TIME"),
  varianceBytes: at("F_VARIANCE_RANK_BYTES"),
  read: at("F_READ_TIME"),
  write: at("F_WRITE_TIME"),
  meta: at("F_META_TIME"),
  bytesRead: at("BYTES_READ"),
  bytesWritten: at("BYTES_WRITTEN"),
});
