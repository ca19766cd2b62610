/** Bytes of ranks. Only ranks that moved any have an entry: a log may claim any number of ranks, its records cannot. */
export type RankBytes = ReadonlyMap<number, number>;

export function addRankBytes(to: Map<number, number>, rank: number, bytes: number): void {
  if (bytes > 0) to.set(rank, (to.get(rank) ?? 0) + bytes);
}

export function addAllRankBytes(to: Map<number, number>, from: RankBytes): void {
  for (const [rank, bytes] of from) addRankBytes(to, rank, bytes);
}
