import { LedgerClock } from "@gatewarden/core/store"
import { Clock, Effect } from "effect"

/** The instant that a statement reckons by, as text; `null` stands for the database's clock, so that all processes agree. */
export const askedInstant: Effect.Effect<string | null> = Effect.flatMap(LedgerClock, (kind) =>
  kind === "database" ? Effect.succeed(null) : Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())
)
