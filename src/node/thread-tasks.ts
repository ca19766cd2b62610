/** The inside of a thread of a pool: tasks come in one after the other, results and errors go out. See thread-pool.ts. */
import { parentPort } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { FormatError, LimitError, UsageError } from "../base/errors.ts";

export type ToThread<Task> =
  | { readonly kind: "task"; readonly task: Task; readonly last: boolean }
  | { readonly kind: "answer"; readonly answer: unknown }
  | { readonly kind: "no answer"; readonly facts: ErrorFacts };

export type FromThread =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "failed"; readonly facts: ErrorFacts }
  | { readonly kind: "says"; readonly message: unknown }
  | { readonly kind: "asks"; readonly message: unknown };

/** What an error is made of: cloned between threads it would lose its class and what the system said. */
type ErrorFacts = Readonly<Record<string, unknown>>;

const FACTS = ["name", "message", "stack", "code", "errno", "syscall", "path"] as const;
const FORMAT_FACTS = ["source", "detail", "offset", "line"] as const;

export function factsOf(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { message: String(error) };
  const values = error as unknown as Record<string, unknown>;
  const keys = error instanceof FormatError ? [...FACTS, ...FORMAT_FACTS] : FACTS;
  return Object.fromEntries(keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));
}

/** The error that a thread threw. */
export function errorFrom({ message, ...facts }: ErrorFacts): Error {
  return Object.assign(errorOfKind(String(message), facts), facts);
}

function errorOfKind(message: string, { name, source, offset, line, detail }: ErrorFacts): Error {
  if (name === "UsageError") return new UsageError(message);
  if (name !== "FormatError" && name !== "LimitError") return new Error(message);
  const place = { offset, line } as { offset?: number; line?: number };
  return new (name === "LimitError" ? LimitError : FormatError)(String(source), place, String(detail));
}

interface TaskHandling {
  /** After this a thread whose task failed ends. Without it the thread takes the next task. */
  readonly afterFailure?: () => Promise<void>;
}

/** Does tasks until the pool sends the last one. Tasks that come meanwhile wait. */
export function serveTasks<Task, Result>(
  handle: (task: Task) => Result | Promise<Result>,
  { afterFailure }: TaskHandling = {},
): void {
  let queue: Promise<void> = Promise.resolve();
  let ended = false;
  const end = () => {
    ended = true;
    parentPort?.close();
  };
  const perform = async (task: Task, last: boolean) => {
    if (ended) return;
    try {
      const result = await handle(task);
      say({ kind: "done", result });
      if (last) end();
    } catch (error) {
      await afterFailure?.();
      say({ kind: "failed", facts: factsOf(error) });
      if (last || afterFailure !== undefined) end();
    }
  };
  parentPort?.on("message", (message: ToThread<Task>) => {
    if (message.kind === "task") queue = queue.then(() => perform(message.task, message.last));
    else if (message.kind === "answer") question?.resolve(message.answer);
    else question?.reject(errorFrom(message.facts));
  });
}

/** Tells the pool something in the middle of a task. */
export const tellPool = (message: unknown): void => say({ kind: "says", message });

let question: { resolve(answer: unknown): void; reject(error: Error): void } | undefined;

/** Asks the pool something in the middle of a task, and waits for the answer. */
export async function askPool(message: unknown): Promise<unknown> {
  assert(question === undefined, "a thread asks one question at a time");
  try {
    return await new Promise((resolve, reject) => {
      question = { resolve, reject };
      say({ kind: "asks", message });
    });
  } finally {
    question = undefined;
  }
}

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}
