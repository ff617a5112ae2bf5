/**
 * By whose clock windows, holds and rate limits are reckoned: the database's, so that processes with clocks of their own agree, or the one of
 * the Clock service, which tests turn by hand.
 */
import { Context } from "effect"

export const LedgerClock = Context.Reference<"database" | "service">("gatewarden/LedgerClock", {
  defaultValue: () => "database" as const
})
