/** Which pages of a file were written since they were last counted: what a sync has to bring to the disk. */

const PAGE_POWER = 12;
/** Beyond this many pages (64 GiB) they are not told apart. */
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

  /** How many there are; from now on none is. */
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
