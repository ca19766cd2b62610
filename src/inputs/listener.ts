export type { Listener } from "../base/listener.ts";
