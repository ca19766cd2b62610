/**
 * Milliseconds of processor time that some work of this process takes. Unlike time on the clock they do not depend on what else the
 * machine does, so that a test may bound them.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
