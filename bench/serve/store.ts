/** A store of a large site with a given number of minute rows; compacted day by day, but for its last hours, as a live one is. */
import { storedTargets } from "../../src/model/index.ts";
import { compactStore, Store } from "../../src/store/index.ts";
import { Site } from "../years/site.ts";

export async function makeStore(path: string, minuteRows: number): Promise<void> {
  const store = await Store.openOrCreate(path);
  const site = new Site();
  // It ends about now; days are whole, so that hours of a week before are in it.
  const days = Math.ceil(minuteRows / 4.5e6);
  const first = Math.floor(Date.now() / 3_600_000) - 24 * days;
  for (let hour = 0; site.rows.minutes < minuteRows && hour < 24 * days; hour++) {
    const batch = store.beginBatch({ writer: "bench" });
    await site.hour(batch, first + hour);
    await batch.commit();
    if (hour % 24 !== 21) continue;
    await compactStore(store, { graceMs: 0 });
    console.log(`${site.rows.minutes} minute rows`);
  }
  await store.close();
}

/** One minute of one target more, as a collector's next batch would be. */
export async function addMinute(path: string): Promise<void> {
  const store = await Store.open(path);
  const session = await store.query();
  const [last] = await session.rows("select max(minute_unix) as minute from targets");
  session.close();
  const batch = store.beginBatch({ writer: "bench" });
  await batch.append(storedTargets, 1, {
    ...{ file_system: { all: "scratch" }, target: { all: "OST0000" }, seconds: { all: 60 } },
    minute_unix: { all: BigInt(Number(last?.minute)) },
    ...{ bytes_read: { all: 0n }, bytes_written: { all: 1_000_000n } },
  });
  await batch.commit();
  await store.close();
}
