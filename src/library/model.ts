/** `plimsoll/model`: schema and tables, and what analyses hand to people: findings, figures, documents. */
export * from "../model/index.ts";
