/** Opens and syncs of files on virtual time: one metadata server for all opens, and the effects of a fault plan. */
import { assert } from "../../../base/assert.ts";
import type { FailureCode, FileId, Rank, TargetId } from "../../protocol/index.ts";
import type { EventQueue } from "../events.ts";
import type { FaultState } from "./fault-state.ts";

export interface FileAnswer {
  readonly rank: Rank;
  readonly file: FileId;
  readonly target: TargetId;
  readonly since: number;
  /** `expired`: an open that hangs; its process gets no answer. */
  readonly code: FailureCode | undefined;
}

interface FileServiceSetting {
  readonly queue: EventQueue;
  readonly faults: FaultState;
  /** Event kinds of answers; `a` is the answer's number. */
  readonly openedKind: number;
  readonly syncedKind: number;
  /** Time of the metadata server per open, one after the other; the client needs the same again. */
  readonly openSeconds: number;
  readonly syncSeconds: number;
  /** Files opened before writing starts. */
  readonly firstOpens: number;
}

export class FileService {
  /** Seconds that each open took. */
  readonly opens: number[] = [];
  /** Time when the first files were open and writing could start. */
  writingFrom = 0;
  readonly #setting: FileServiceSetting;
  readonly #answers: FileAnswer[] = [];
  readonly #early: FileAnswer[] = [];
  #metadataFree = 0;
  #opensLeft: number;

  constructor(setting: FileServiceSetting) {
    this.#setting = setting;
    this.#opensLeft = setting.firstOpens;
  }

  open(rank: Rank, file: FileId, target: TargetId): void {
    const { queue, faults, openedKind, openSeconds } = this.#setting;
    const { now } = queue;
    this.#metadataFree = Math.max(this.#metadataFree, now) + openSeconds;
    const hangs = faults.has("open-hangs", target);
    const code = hangs ? "expired" : faults.has("open-fails", target) ? "EIO" : undefined;
    this.#answer(openedKind, this.#metadataFree + openSeconds, { rank, file, target, since: now, code });
  }

  sync(rank: Rank, file: FileId, target: TargetId): void {
    const { queue, faults, syncedKind, syncSeconds } = this.#setting;
    if (faults.has("sync-hangs", target)) return;
    const code = faults.has("sync-fails", target) ? "EIO" : undefined;
    const { now } = queue;
    this.#answer(syncedKind, now + syncSeconds, { rank, file, target, since: now, code });
  }

  answer(index: number): FileAnswer {
    const answer = this.#answers[index];
    assert(answer !== undefined, "an answer belongs to a request");
    return answer;
  }

  /**
   * Takes the answer to an open; returns the answers to pass on now. The first files are passed on together, to separate write
   * time from open time.
   */
  opened(answer: FileAnswer): readonly FileAnswer[] {
    assert(answer.since <= this.#setting.queue.now, "an open takes time");
    if (answer.code === undefined) this.opens.push(this.#setting.queue.now - answer.since);
    if (this.#opensLeft <= 0) return [answer];
    this.#early.push(answer);
    this.#opensLeft--;
    assert(
      this.#early.length + this.#opensLeft === this.#setting.firstOpens,
      "every early open waits for the last",
    );
    if (this.#opensLeft > 0) return [];
    this.writingFrom = this.#setting.queue.now;
    return this.#early.splice(0);
  }

  #answer(kind: number, at: number, answer: FileAnswer): void {
    this.#setting.queue.push(at, kind, this.#answers.push(answer) - 1, answer.rank);
  }
}
