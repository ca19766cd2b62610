/** What reports for CI systems are made from. */
import type { Finding, Severity } from "../../model/index.ts";

export interface CiRule {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
}

export interface CiInput {
  /** All rules that were asked for. */
  readonly rules: readonly CiRule[];
  readonly findings: readonly Finding[];
  /** Rules that could not be applied, with what is missing. */
  readonly unjudged: readonly { readonly id: string; readonly missing: string }[];
  /** The input as it was given. */
  readonly source: string;
  readonly version: string;
  /** From here on a finding is a failure. */
  readonly failOn: Severity;
}
