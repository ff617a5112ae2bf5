/**
 * How processes tell each other that the log of changes has something new: a hint, which may be lost. Silent by default, as a session
 * to listen on is not to be had of every client.
 */
import type { ChangeLog } from "@gatewarden/core/store"
import { Context, Effect } from "effect"

export type Channel = Pick<typeof ChangeLog.Service, "announce" | "hear">

const silent: Channel = { announce: Effect.void, hear: () => Effect.void }

export const ChangeChannel = Context.Reference<Channel>("gatewarden/ChangeChannel", { defaultValue: () => silent })
