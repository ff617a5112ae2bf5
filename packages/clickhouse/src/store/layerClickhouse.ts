/** A store whose usage is read from ClickHouse: everything else, and the truth about money, is the other store's. */
import { AnalyticsReader, Erasures, Retention, type StorePorts, UsageLog } from "@gatewarden/core/store"
import { Clock, Context, Effect, Layer } from "effect"
import { makeAnalyticsReader } from "../adapters/AnalyticsReader.ts"
import { makeErasures } from "../adapters/Erasures.ts"
import { type Clickhouse, type ClickhouseOptions, openClickhouse } from "../connection/openClickhouse.ts"
import { migrateClickhouse } from "../schema/statements.ts"
import { forwardUsage } from "./forwardUsage.ts"
import { type SumOptions, sumUsage } from "./sumUsage.ts"

export interface LayerOptions extends ClickhouseOptions, SumOptions {
  /** Whether the schema is created and extended when the store is opened. Default true. */
  readonly migrate?: boolean
}

/** Days are looked through for such as have changed, unless this was done a moment ago and there were none. */
const patienceMillis = 60_000

/** Sums what waits in the other store first, then days here. */
const foldingUsage = (
  clickhouse: Clickhouse,
  { foldUsage }: typeof Retention.Service,
  forward: Effect.Effect<number>,
  options: SumOptions
): (typeof Retention.Service)["foldUsage"] => {
  let foundNone: number | undefined
  return Effect.fnUntraced(function* (atMost) {
    const folded = yield* foldUsage(atMost)
    if (folded > 0) return folded
    const now = yield* Clock.currentTimeMillis
    if (foundNone !== undefined && Math.abs(now - foundNone) < patienceMillis) return 0
    yield* forward
    const summed = yield* sumUsage(clickhouse, now, options)
    foundNone = summed === 0 ? now : undefined
    return summed
  })
}

export const layerClickhouse = <E>(
  store: Layer.Layer<StorePorts, E>,
  options: LayerOptions
): Layer.Layer<StorePorts, E> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const ports = yield* Layer.build(store)
      const clickhouse = yield* openClickhouse(options)
      if (options.migrate !== false) yield* migrateClickhouse(clickhouse, options)
      const log = Context.get(ports, UsageLog)
      const retention = Context.get(ports, Retention)
      // From here on what is recorded waits.
      yield* log.outgoing(0)
      const { forward, upToDate } = forwardUsage(clickhouse, log)
      return ports.pipe(
        Context.add(UsageLog, { ...log, forward }),
        Context.add(Retention, { ...retention, foldUsage: foldingUsage(clickhouse, retention, forward, options) }),
        Context.add(Erasures, makeErasures(clickhouse, Context.get(ports, Erasures), upToDate, options)),
        Context.add(AnalyticsReader, makeAnalyticsReader(clickhouse, upToDate))
      )
    })
  )
