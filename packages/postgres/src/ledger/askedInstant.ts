import { LedgerClock } from "@gatewarden/core/store"
import { Clock, Effect } from "effect"

/** The current instant for a statement, as text; `null` stands for the clock of the database, on which all processes agree. */
export const askedInstant: Effect.Effect<string | null> = Effect.flatMap(LedgerClock, (kind) =>
  kind === "database" ? Effect.succeed(null) : Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())
)
