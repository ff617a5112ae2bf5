import { Clock, Effect } from "effect"
import { Retention } from "../ports/retention.ts"
import type { Tables } from "./tables/Tables.ts"

/** Each port of the store knows how to forget its own rows: `Tables.sweeps`. Sums of days are not kept, so nothing is merged or folded. */
export const retention = ({ sweeps }: Tables) =>
  Retention.of({
    sweep: (what, olderThanSeconds, atMost) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        let swept = 0
        for (const sweep of sweeps.get(what) ?? []) swept += sweep(now - olderThanSeconds * 1_000, atMost - swept)
        return swept
      }),
    releaseExpiredHolds: () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const release of sweeps.get("expired_holds") ?? []) release(now, Infinity)
        return 0
      }),
    mergeSpending: () => Effect.succeed(0),
    foldRankings: () => Effect.succeed(0),
    foldUsage: () => Effect.succeed(0)
  })
