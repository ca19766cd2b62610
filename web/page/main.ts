/** One script for both sides: in the page it starts the worker from its own text, in the worker it reads. */
import { startPage } from "./page.ts";
import { startWorker } from "./worker.ts";

if (typeof document === "undefined") startWorker();
else startPage(document.currentScript?.textContent ?? "");
