export { schemaStatements, eventTable } from "./schema/statements.ts"
export { usageColumns } from "./schema/usageColumns.ts"
