/** What the packages of this repository need beyond the door. Nothing here is promised. */
export { openClickhouse } from "./connection/openClickhouse.ts"
export { migrateClickhouse } from "./schema/migrateClickhouse.ts"
export { eventTable, schemaStatements } from "./schema/statements.ts"
export { usageColumns } from "./schema/usageColumns.ts"
export { type VersionedEvent, insertEvents } from "./store/forwardUsage.ts"
export { type MovedUsage, moveUsage } from "./store/moveUsage.ts"
export { layerClickhouse } from "./store/layerClickhouse.ts"
