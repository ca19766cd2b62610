/** Long synchronous work must let signals in now and then, or a file half written could not be cleaned up. */

const EVERY_MS = 50;

/** A function to await often; it gives the event loop a turn at most every 50 ms. */
export function breather(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    const now = performance.now();
    if (now - last < EVERY_MS) return;
    last = now;
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
}
