/** Rules on MPI-IO: collective or not, how it is set up, and what it is asked for. */
import type { Rule } from "../rule.ts";
import { AMPLIFICATION_RULES } from "./amplification.ts";
import { COLLECTIVE_RULES } from "./mpi-io-collective.ts";
import { REQUEST_RULES } from "./mpi-io-requests.ts";
import { WAITING_RULES } from "./mpi-io-waiting.ts";

export const MPI_IO_RULES: readonly Rule[] = [
  ...AMPLIFICATION_RULES,
  ...WAITING_RULES,
  ...COLLECTIVE_RULES,
  ...REQUEST_RULES,
];
