import { Effect } from "effect"
import { serviceProviderConfig } from "./discovery.ts"

/** Rule: scim#discovery. */
export const getScimServiceProviderConfig = Effect.succeed(serviceProviderConfig)
