/** Pages of a file written since the last count: the work of a sync. */

const PAGE_POWER = 12;
/** Beyond this many pages (64 GiB) they are not tracked separately. */
const PAGES_MAX = 1 << 24;

export class DirtyPages {
  #marks = new Uint8Array(64);
  #count = 0;

  add(offset: number, bytes: number): void {
    const first = Math.min(PAGES_MAX, Math.floor(offset / 2 ** PAGE_POWER));
    const last = Math.min(PAGES_MAX, Math.floor((offset + bytes - 1) / 2 ** PAGE_POWER));
    if (last >= this.#marks.length) this.#grow(last + 1);
    for (let page = first; page <= last; page++) {
      this.#count += 1 - (this.#marks[page] as number);
      this.#marks[page] = 1;
    }
  }

  /** Returns their number and resets it. */
  take(): number {
    const count = this.#count;
    if (count > 0) this.#marks.fill(0);
    this.#count = 0;
    return count;
  }

  #grow(pages: number): void {
    const marks = new Uint8Array(Math.max(pages, 2 * this.#marks.length));
    marks.set(this.#marks);
    this.#marks = marks;
  }
}
