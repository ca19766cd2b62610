/** Errors between a client and its servers. */
import { FormatError } from "../../base/errors.ts";
import type { Status } from "./wire.ts";

/** A server refused a request, or is gone. The message names the server. */
export class TargetError extends FormatError {
  /** Undefined when the server did not answer. */
  readonly status: Status | undefined;

  constructor(server: string, detail: string, status?: Status, options?: ErrorOptions) {
    super(server, {}, detail, options);
    this.name = "TargetError";
    this.status = status;
  }
}

/** Thrown inside a server while handling a request, and sent to the client as status and text. */
export class Refusal extends Error {
  readonly status: Status;
  /** The stream of frames is invalid, or its sender is not authorised. */
  readonly fatal: boolean;

  constructor(status: Status, message: string, fatal = false) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.fatal = fatal;
  }
}
