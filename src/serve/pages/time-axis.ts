/** Clocks of a zone on an axis of minutes. */
import { localText } from "../../analyze/load/index.ts";

/** Seconds that clocks of a zone are ahead of UTC at a minute. */
export const offsetAtMinute = (zone: string, minute: number): number =>
  (Date.parse(`${localText(zone, minute * 60)}:00Z`) - minute * 60_000) / 1000;
