/** The model: schema and tables. */
export * from "./schema.ts";
export * from "./tables.ts";
