/** How long an analytics query may take, in milliseconds; past it the answer is 408 (Rule: analytics#timeouts). */
import { Context } from "effect"

export const AnalyticsTimeout = Context.Reference<number>("gatewarden/AnalyticsTimeout", { defaultValue: () => 30_000 })
