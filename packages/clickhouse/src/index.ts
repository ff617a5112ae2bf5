export { schemaStatements } from "./schema/statements.ts"
