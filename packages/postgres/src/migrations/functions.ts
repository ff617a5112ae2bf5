/** Every function of the database. Their order is without meaning: bodies are not looked into when they are applied. */
import { admitKey, releaseHold, sweepHolds } from "../functions/holds.ts"
import type { SqlFunction } from "../functions/SqlFunction.ts"
import { settleEvents } from "../functions/settleEvents.ts"
import { sqlTexts } from "../embedded/sqlTexts.ts"

const folder = "functions/"

/** A file has one function, and its name: `functions/record/file.sql` has `gatewarden_record_file`. */
const ofFiles: readonly SqlFunction[] = Object.entries(sqlTexts).flatMap(([path, sql]) =>
  path.startsWith(folder) ? [{ name: `gatewarden_${path.slice(folder.length).replaceAll("/", "_")}`, sql }] : []
)

export const functions: readonly SqlFunction[] = [...ofFiles, settleEvents, sweepHolds, releaseHold, admitKey]
