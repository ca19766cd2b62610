/** The quotients of C03 and C04. Undefined ones are null: without time there is no rate, without calls no mean. */
export function ratesOf({
  accesses,
  blocks,
  bytes,
  ioTimeSeconds,
  callNs,
  executionSeconds = ioTimeSeconds,
}: {
  readonly accesses: number;
  readonly blocks: number;
  /** Bytes of the bandwidth. */
  readonly bytes: number;
  /** T of C02. */
  readonly ioTimeSeconds: number;
  /** Durations of all calls, summed, in nanoseconds. */
  readonly callNs: number;
  /** Denominator of IOPS, if not T. */
  readonly executionSeconds?: number;
}) {
  const per = (amount: number, seconds: number) => (seconds > 0 ? amount / seconds : null);
  return {
    bps: per(blocks, ioTimeSeconds),
    iops: per(accesses, executionSeconds),
    bandwidthBytesPerSecond: per(bytes, ioTimeSeconds),
    arptSeconds: accesses === 0 ? null : callNs / accesses / 1e9,
  };
}
