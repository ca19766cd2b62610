/** Opens a store for some work, or for one question. */
import type { StoreOptions } from "./database.ts";
import type { StoreSession } from "./session.ts";
import { Store } from "./store.ts";

export async function useStore<T>(
  path: string,
  options: StoreOptions,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await Store.open(path, options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export const askStore = <T>(
  path: string,
  options: StoreOptions,
  ask: (db: StoreSession) => Promise<T>,
): Promise<T> =>
  useStore(path, options, async (store) => {
    const session = await store.query();
    try {
      return await ask(session);
    } finally {
      session.close();
    }
  });
