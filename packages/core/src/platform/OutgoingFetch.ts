import { Context } from "effect"
import { type Fetch, publicFetch } from "./Fetch.ts"

/**
 * What requests to addresses that clients name go through. A platform sets one that also checks what a name resolves to.
 *
 * Rule: operating#outgoing-calls.
 */
export const OutgoingFetch = Context.Reference<Fetch>("gatewarden/OutgoingFetch", { defaultValue: () => publicFetch })
