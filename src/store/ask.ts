/** Opens a store for one question. */
import type { Queryable } from "../model/index.ts";
import type { StoreOptions } from "./database.ts";
import { Store } from "./store.ts";

export async function askStore<T>(
  path: string,
  options: StoreOptions,
  ask: (db: Queryable) => Promise<T>,
): Promise<T> {
  const store = await Store.open(path, options);
  try {
    const session = await store.query();
    try {
      return await ask(session);
    } finally {
      session.close();
    }
  } finally {
    await store.close();
  }
}
