import { Context, type Effect } from "effect"
import type { HostAnswer } from "./HostCaller.ts"

/**
 * The host's function that maps a request to a caller; by default there is none, and keys alone decide. It is called before a key is
 * checked, and must not read the body. A defect becomes 500.
 */
export const HostAuthentication = Context.Reference<((request: Request) => Effect.Effect<HostAnswer>) | undefined>(
  "gatewarden/HostAuthentication",
  { defaultValue: () => undefined }
)
