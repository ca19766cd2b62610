/** A thread of `store check --deep`: reads segments and compares them with the manifest. */
import { serveTasks } from "../node/thread-tasks.ts";
import { faultsOf, type VerifyTask } from "./verify.ts";

serveTasks(({ store, segments }: VerifyTask) => faultsOf(store, segments, { deep: true }));
