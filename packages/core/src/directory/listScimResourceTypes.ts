import { Effect } from "effect"
import { listedScim, scimKinds } from "./discovery.ts"

/** Rule: scim#discovery. */
export const listScimResourceTypes = Effect.succeed(listedScim(scimKinds))
