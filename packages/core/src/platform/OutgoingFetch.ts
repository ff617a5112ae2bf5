/** What requests to addresses that clients name go through. A platform sets one that also checks what a name resolves to. */
import { Context } from "effect"
import type { Fetch } from "./Fetch.ts"
import { publicFetch } from "./publicFetch.ts"

/** Rule: operating#outgoing-calls. */
export const OutgoingFetch = Context.Reference<Fetch>("gatewarden/OutgoingFetch", { defaultValue: () => publicFetch })
