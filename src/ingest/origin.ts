/** Where inputs come from: whether they were generated, which their folder or collector says, and the zone of the site. */
import { SyntheticFolders } from "../node/synthetic-folder.ts";

/** What collectors and generators add to their name when they read generated data. */
const SYNTHETIC = /\(synthetic\)$/;

export class InputOrigin {
  readonly #folders = new SyntheticFolders();
  #synthetic = false;

  /** 0 or 1, as the tables have it. */
  get flag(): number {
    return this.#synthetic ? 1 : 0;
  }

  begin(path: string): void {
    this.#synthetic = this.#folders.holds(path);
  }

  /** As the input itself names who collected it. */
  collectedBy(collector: string | undefined): void {
    if (collector !== undefined && SYNTHETIC.test(collector)) this.#synthetic = true;
  }
}

/** A zone with a name, which knows of summer time; a fixed distance from UTC says nothing of a site's clocks in the other season. */
export function siteZone(zone: string | undefined): string | undefined {
  return zone !== undefined && /^[A-Z]/i.test(zone) ? zone : undefined;
}
