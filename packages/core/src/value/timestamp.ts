/** The current instant as the contract prints it: ISO 8601, UTC, milliseconds, `Z` (Rule: requests#timestamps). */
import { Clock, Effect } from "effect"

export const formatInstant = (millis: number): string => new Date(millis).toISOString()

export const timestamp = Effect.map(Clock.currentTimeMillis, formatInstant)
