/** Names behind hashes: events FH (files), HH (hosts) and SH (other texts) of any file of a job. */
import type { ByteSource } from "../../base/source.ts";
import { eachWindow } from "../text/windows.ts";
import { eachEvent } from "./lines.ts";
import { TraceEvent, Txt } from "./event.ts";

export type NameKind = "FH" | "HH" | "SH";

export const nameKey = (kind: NameKind, hash: string) => `${kind} ${hash}`;

const METADATA = 77;

/** Whether the event tells a name; such events have the phase M. */
export function namedBy(event: TraceEvent): NameKind | undefined {
  if (!isMetadata(event) || (event.to[Txt.name] as number) - (event.from[Txt.name] as number) !== 2)
    return undefined;
  const kind = event.text(Txt.name);
  return kind === "FH" || kind === "HH" || kind === "SH" ? kind : undefined;
}

export const isMetadata = (event: TraceEvent) =>
  event.bytes[event.from[Txt.ph] as number] === METADATA && event.has(Txt.ph);

/** All names of these files by `nameKey`. A hash that stands for several names says so. */
export function readNames(sources: Iterable<ByteSource>): Map<string, string> {
  const names = new Map<string, Set<string>>();
  const event = new TraceEvent();
  for (const source of sources)
    eachWindow(source, (bytes, from, end) =>
      eachEvent(event, bytes, from, end, () => {
        const kind = namedBy(event);
        if (kind === undefined) return;
        const key = nameKey(kind, event.text(Txt.argValue));
        const known = names.get(key);
        if (known === undefined) names.set(key, new Set([event.text(Txt.argName)]));
        else known.add(event.text(Txt.argName));
      }),
    );
  return new Map(
    [...names].map(([key, all]) => [key, all.size === 1 ? ([...all][0] as string) : several(key, all)]),
  );
}

const several = (key: string, all: ReadonlySet<string>) => `(hash ${key.slice(3)} of ${all.size} names)`;
