import { Context, type Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HostAnswer } from "./HostCaller.ts"

/**
 * How the host maps a request to a caller; by default it does not, and keys alone decide. It is asked before any key is
 * looked at, and must leave the body unread. What it dies with becomes 500.
 */
export const HostAuthentication = Context.Reference<
  ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HostAnswer>) | undefined
>("gatewarden/HostAuthentication", { defaultValue: () => undefined })
