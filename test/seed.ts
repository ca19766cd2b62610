/**
 * The seed of what tests draw at random: always the same, so that a failure is one for everybody. PLIMSOLL_SEED=17 chooses another,
 * PLIMSOLL_SEED=random draws one; both are printed, and a run with the same number draws the same.
 */
export function testSeed(usual: number): number {
  const asked = process.env.PLIMSOLL_SEED ?? "";
  if (asked === "") return usual;
  // Drawn once, and passed on to whatever the test starts.
  if (asked === "random") process.env.PLIMSOLL_SEED = String(Date.now() % 1_000_000);
  const seed = Number(process.env.PLIMSOLL_SEED);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Error(`PLIMSOLL_SEED=${asked}: expected a whole number from 0, or random`);
  console.log(`PLIMSOLL_SEED=${seed}`);
  return seed;
}
