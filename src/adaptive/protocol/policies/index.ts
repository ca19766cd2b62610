/** All policies by name. */
import { UsageError } from "../../../base/errors.ts";
import type { Policy } from "../policy.ts";
import { paperPolicy } from "./paper.ts";
import { plimsollPolicy } from "./plimsoll.ts";
import { mpiIoPolicy, staticPolicy } from "./static.ts";

const POLICIES: readonly Policy[] = [paperPolicy, plimsollPolicy, staticPolicy, mpiIoPolicy];
export const POLICY_NAMES: readonly string[] = POLICIES.map(({ name }) => name);

export function policyNamed(name: string): Policy {
  const policy = POLICIES.find((one) => one.name === name);
  if (policy === undefined)
    throw new UsageError(`unknown policy ${name} (known: ${POLICY_NAMES.join(", ")})`);
  return policy;
}
