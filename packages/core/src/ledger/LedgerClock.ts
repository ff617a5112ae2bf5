/**
 * The clock of windows, holds and rate limits: the database's, so that all processes agree, or that of the Clock service, which tests set.
 */
import { Context } from "effect"

export const LedgerClock = Context.Reference<"database" | "service">("gatewarden/LedgerClock", {
  defaultValue: () => "database" as const
})
