/** What several items ask for and the first of them makes. */
const made = new WeakMap<object, Map<string, Promise<unknown>>>();

export function prepareOnce<T>(owner: object, name: string, make: () => Promise<T>): Promise<T> {
  let names = made.get(owner);
  if (names === undefined) made.set(owner, (names = new Map()));
  let promise = names.get(name);
  if (promise === undefined) names.set(name, (promise = make()));
  return promise as Promise<T>;
}
