import type { BadRequest, RateLimited, TimedOut, TooLarge, Unavailable } from "../failure.ts"

/** What may be wrong with a body while it is read: its bytes, its length, its pace, or that too much else is under way. */
export type BodyFailure = BadRequest | TooLarge | TimedOut | RateLimited | Unavailable
