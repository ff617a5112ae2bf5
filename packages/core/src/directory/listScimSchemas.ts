import { Effect } from "effect"
import { listedScim, printedSchemas } from "./discovery.ts"

/** Rule: scim#discovery. */
export const listScimSchemas = Effect.succeed(listedScim(printedSchemas))
