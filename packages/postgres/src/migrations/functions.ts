/** Every function of the database. Their order is without meaning: bodies are not looked into when they are applied. */
import type { SqlFunction } from "../functions/SqlFunction.ts"
import { sqlTexts } from "../embedded/sqlTexts.ts"

const folder = "functions/"

/** A file has one function, and its name: `functions/record/file.sql` has `gatewarden_record_file`. */
export const functions: readonly SqlFunction[] = Object.entries(sqlTexts).flatMap(([path, sql]) =>
  path.startsWith(folder) ? [{ name: `gatewarden_${path.slice(folder.length).replaceAll("/", "_")}`, sql }] : []
)
