/** Local time of a zone on an axis of minutes. */
import { localText, type Window } from "../../analyze/load/index.ts";

/** Offset of a time zone from UTC at a minute, in seconds. */
export const offsetAtMinute = (zone: string, minute: number): number =>
  (Date.parse(`${localText(zone, minute * 60)}:00Z`) - minute * 60_000) / 1000;

/** `2018-06-07 13:20 to 14:20, UTC`. */
export function timesText({ from, to }: Window, zone: string): string {
  const [first, last] = [from, to].map((minute) => localText(zone, minute * 60).replace("T", " "));
  const isOneDay = first?.slice(0, 10) === last?.slice(0, 10);
  return `${first} to ${isOneDay ? last?.slice(11) : last}, ${zone}`;
}
