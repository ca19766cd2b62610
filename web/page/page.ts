/** The page: takes drops, hands them to the worker, shows what comes back. */
import { UsageError } from "../../src/base/errors.ts";
import { fingerprintIn, guardAddress } from "./address.ts";
import { droppedFiles, pickedFiles } from "./drop.ts";
import type { DroppedFile, Failure, Opened, Reply, Request } from "./messages.ts";
import { type Action, Shell } from "./shell.ts";

export function startPage(script: string): void {
  if (script === "") throw new Error("the page must carry its script inside");
  const start = () => new Page(script).start();
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
}

interface Reading {
  readonly request: Extract<Request, { kind: "open" | "example" }>;
  readonly beganMs: number;
}

class Page {
  readonly #workerUrl: string;
  readonly #shell = new Shell((action) => this.#act(action));
  /** Ready to read, or reading. */
  #worker: Worker;
  /** Holds the job that is shown, for what is saved of it. */
  #keeper: Worker | undefined;
  #reading: Reading | undefined;
  #opened: Opened | undefined;
  /** Of a damaged log, what comes before the damage is shown. */
  #usesDamaged = false;
  /** What the next chosen files are for. */
  #isComparing = false;
  #held = 0;

  constructor(script: string) {
    this.#workerUrl = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#worker = this.#startWorker();
    guardAddress(() => this.#opened?.fingerprint);
  }

  start(): void {
    this.#shell.mount(false);
    this.#listen();
    for (const kind of ["files", "folder"] as const) {
      const input = this.#shell.input(kind);
      input.onchange = () => {
        if (input.files && input.files.length > 0) this.#picked(input.files);
        input.value = "";
      };
    }
    const wanted = fingerprintIn(location.hash);
    if (wanted !== undefined)
      this.#shell.waitFor(
        `This address points into a report. Drop the log it was made from (fingerprint ${wanted}): the address contains no data.`,
      );
  }

  /** A report takes the place of the document, and of everything that listens to it. */
  #listen(): void {
    addEventListener("dragenter", (event) => this.#over(event));
    addEventListener("dragover", (event) => this.#over(event));
    addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) this.#shell.uncover();
    });
    addEventListener("drop", (event) => void this.#dropped(event));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #over(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const count = [...event.dataTransfer.items].filter(({ kind }) => kind === "file").length;
    this.#shell.cover(count, this.#canCompare, this.#targetOf(event));
  }

  get #canCompare(): boolean {
    return this.#shell.state === "report" && this.#opened !== undefined && !this.#opened.isComparison;
  }

  #targetOf(event: DragEvent): "open" | "compare" {
    return this.#canCompare && event.clientY > innerHeight / 2 ? "compare" : "open";
  }

  async #dropped(event: DragEvent): Promise<void> {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.#shell.uncover();
    const isComparing = this.#targetOf(event) === "compare";
    const drop = ++this.#held;
    try {
      const files = await droppedFiles(event.dataTransfer);
      // A later drop takes the place of an earlier one.
      if (drop === this.#held) this.#open(files, isComparing);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #picked(files: FileList): void {
    try {
      this.#open(pickedFiles(files), this.#isComparing);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    const { message } = error as Error;
    const isOurs = error instanceof UsageError;
    this.#fail(
      plainFailure(
        isOurs ? message : `the browser cannot read what was dropped (${message}); use the buttons`,
      ),
    );
  }

  #open(files: readonly DroppedFile[], isComparing: boolean): void {
    this.#isComparing = false;
    if (files.length === 0) {
      this.#fail(plainFailure("nothing to read: no file was dropped; a folder must contain logs or traces"));
      return;
    }
    const before = isComparing ? this.#opened?.files : undefined;
    const keepGoing = before !== undefined && this.#usesDamaged;
    const settings = { keepGoing, memoryBytes: this.#shell.memoryBytes };
    this.#begin({ kind: "open", files, settings, ...(before === undefined ? {} : { before }) });
  }

  #begin(request: Reading["request"]): void {
    const isBusy = this.#reading !== undefined;
    if (isBusy) this.#restart();
    this.#reading = { request, beganMs: performance.now() };
    this.#shell.toast("");
    this.#shell.reading(request.kind === "open" ? request.files : []);
    this.#worker.postMessage(request);
  }

  /** A worker that reads hears nothing; it is ended, and another takes its place. */
  #restart(): void {
    this.#worker.terminate();
    this.#worker = this.#startWorker();
    this.#reading = undefined;
  }

  #startWorker(): Worker {
    const worker = new Worker(this.#workerUrl);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#heard(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#restart();
      const why = /memory|allocation/i.test(event.message) ? "the browser ran out of memory" : event.message;
      this.#fail(plainFailure(`reading stopped: ${why}; plimsoll report reads larger jobs`));
    };
    return worker;
  }

  #heard(reply: Reply): void {
    if (reply.kind === "progress") {
      if (this.#reading)
        this.#shell.progress(
          reply.step,
          reply.done,
          reply.total,
          (performance.now() - this.#reading.beganMs) / 1000,
          reply.fact,
        );
    } else if (reply.kind === "failed") this.#fail(reply.failure);
    else if (reply.kind === "preview") this.#shell.preview(reply.rows);
    else if (reply.kind === "saved")
      download(reply.name, new Blob([reply.bytes as BlobPart], { type: reply.type }));
    else this.#show(reply);
  }

  #fail(failure: Failure): void {
    this.#last = this.#reading?.request;
    this.#reading = undefined;
    this.#shell.closeDialogs();
    // What is there was asked for already.
    const isAgain = this.#last?.kind === "open" && this.#last.settings.keepGoing;
    this.#shell.failed(isAgain ? { ...failure, canKeepGoing: false } : failure);
  }
  #last: Reading["request"] | undefined;

  #show(opened: Opened): void {
    const wanted = fingerprintIn(location.hash);
    // The fingerprint of the report before this one is our own doing.
    const isGiven = wanted !== undefined && wanted !== this.#opened?.fingerprint;
    const isOther = isGiven && wanted !== opened.fingerprint;
    const request = this.#reading?.request;
    this.#usesDamaged = request?.kind === "open" && request.settings.keepGoing;
    this.#reading = undefined;
    this.#opened = opened;
    this.#keeper?.terminate();
    this.#keeper = this.#worker;
    this.#worker = this.#startWorker();
    // The view of another file would point anywhere.
    history.replaceState(null, "", isGiven && !isOther ? location.hash : "#");
    // Opening a document takes the listeners of all that is in it.
    this.#shell.host.remove();
    document.open();
    // The policy of the page is in force already, and stays; that of the report would refuse the next worker.
    document.write(opened.html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""));
    document.close();
    this.#shell.mount(true);
    this.#shell.waitFor("");
    this.#shell.followTheme();
    this.#shell.show("report");
    this.#listen();
    const warnings = [
      ...(isOther ? ["The address belongs to another file; its position in the report was ignored."] : []),
      ...(opened.skipped.length > 0
        ? [
            `Left out: ${opened.skipped.slice(0, 3).join("; ")}${opened.skipped.length > 3 ? ` and ${opened.skipped.length - 3} more` : ""}`,
          ]
        : []),
    ];
    this.#shell.toast(warnings.join(" "));
  }

  #act(action: Action): void {
    const shell = this.#shell;
    if (action === "files" || action === "folder") shell.input(action).click();
    else if (action === "example") this.#begin({ kind: "example" });
    else if (action === "cancel") this.#cancel();
    else if (action === "back") shell.leave();
    else if (action === "keep" && this.#last?.kind === "open")
      this.#begin({ ...this.#last, settings: { ...this.#last.settings, keepGoing: true } });
    else if (action === "raise" && this.#last?.kind === "open") {
      shell.raisedMemory?.choose();
      this.#begin({ ...this.#last, settings: { ...this.#last.settings, memoryBytes: shell.memoryBytes } });
    } else if (action === "save" && this.#opened) this.#openSave(this.#opened);
    else if (action === "compare") {
      this.#isComparing = true;
      shell.input("files").click();
    } else if (action === "start") this.#toStart();
    else if (action === "theme") shell.turnTheme();
    else if (action === "keys") shell.openKeys();
    else if (action === "close") shell.closeDialogs();
    else if (action === "dismiss") shell.toast("");
  }

  #openSave(opened: Opened): void {
    this.#shell.openSave(
      opened.savers,
      (id) => this.#keeper?.postMessage({ kind: "save", id, withoutNames: this.#shell.isNameless }),
      () => this.#keeper?.postMessage({ kind: "preview" }),
    );
  }

  #cancel(): void {
    this.#restart();
    this.#shell.leave();
  }

  #toStart(): void {
    this.#opened = undefined;
    history.replaceState(null, "", location.href.replace(/#.*$/s, "#"));
    location.reload();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
    if (this.#shell.hasDialog) return;
    const action = KEYS[this.#shell.state]?.[event.key];
    if (action === undefined) return;
    event.preventDefault();
    this.#act(action);
  }
}

/** A report has keys of its own; those of the page stay out of their way. */
const KEYS: Readonly<Record<Shell["state"], Readonly<Record<string, Action>>>> = {
  start: { o: "files", f: "folder", e: "example", "?": "keys" },
  reading: { Escape: "cancel" },
  failed: { Escape: "back", o: "files" },
  report: { s: "save", c: "compare" },
};

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

const plainFailure = (line: string): Failure => ({ line, details: "", canKeepGoing: false, isLimit: false });

function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
