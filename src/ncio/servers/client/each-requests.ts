/**
 * Many contiguous requests, one per region. Each answer sends the next request, without a promise per request: a blocking
 * client at low cost in JavaScript.
 */
import type { FileRegions } from "../../storage.ts";
import { localBefore, serverOf } from "../strips.ts";
import { readAcross, writeAcross } from "./contiguous.ts";
import type { ServersFile } from "./file.ts";
import type { Waiter } from "./message.ts";

export class EachRequests implements Waiter {
  readonly #file: ServersFile;
  readonly #regions: FileRegions;
  readonly #memory: Uint8Array;
  readonly #writing: boolean;
  readonly #most: number;
  #next = 0;
  #underWay = 0;
  #error: Error | undefined;
  #end: (() => void) | undefined;

  constructor(file: ServersFile, regions: FileRegions, memory: Uint8Array, writing: boolean) {
    this.#file = file;
    this.#regions = regions;
    this.#memory = memory;
    this.#writing = writing;
    this.#most = file.storage.outstanding;
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#end = () => (this.#error === undefined ? resolve() : reject(this.#error));
      this.#sendMore();
    });
  }

  answered(): void {
    this.#underWay--;
    this.#sendMore();
  }

  /** Sends no more; done when requests in flight are answered. */
  failed(error: Error): void {
    this.#error ??= error;
    this.#underWay--;
    this.#sendMore();
  }

  #sendMore(): void {
    while (this.#underWay < this.#most && this.#error === undefined && this.#next < this.#regions.count) {
      if (!this.#sendNext()) break;
    }
    if (this.#underWay > 0) return;
    const end = this.#end;
    this.#end = undefined;
    end?.();
  }

  /** False when requests in flight must end first. */
  #sendNext(): boolean {
    const index = this.#next;
    const file = this.#file;
    const { strips } = file.storage;
    const at = this.#regions.file[index] as number;
    const place = this.#regions.memory[index] as number;
    const bytes = this.#regions.lengths[index] as number;
    if (!file.inOneStrip(at, bytes)) return this.#sendAlone(at, this.#memory.subarray(place, place + bytes));
    this.#next++;
    this.#underWay++;
    const server = serverOf(strips, at);
    const local = localBefore(strips, server, at);
    if (this.#most > 1) file.link(server).gather();
    if (this.#writing) file.sendWrite(server, local, this.#memory, place, bytes, this);
    else file.sendRead(server, local, bytes, this.#memory, place, this);
    return true;
  }

  /** A region of several messages is sent alone, so that no other request overtakes a part of it. */
  #sendAlone(at: number, bytes: Uint8Array): boolean {
    if (this.#underWay > 0) return false;
    this.#next++;
    this.#underWay = this.#most;
    const done = this.#writing ? writeAcross(this.#file, at, bytes) : readAcross(this.#file, at, bytes);
    const end = (error?: Error): void => {
      this.#underWay = 0;
      this.#error ??= error;
      this.#sendMore();
    };
    done.then(() => end(), end);
    return false;
  }
}
