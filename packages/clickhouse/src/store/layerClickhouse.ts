/** A store whose usage is read from ClickHouse: everything else, and the truth about money, is the other store's. */
import { AnalyticsReader, type StorePorts, UsageLog } from "@gatewarden/core/store"
import { Context, Effect, Layer } from "effect"
import { makeAnalyticsReader } from "../adapters/AnalyticsReader.ts"
import { type ClickhouseOptions, openClickhouse } from "../connection/openClickhouse.ts"
import { migrateClickhouse } from "../schema/statements.ts"
import { forwardUsage } from "./forwardUsage.ts"

export interface LayerOptions extends ClickhouseOptions {
  /** Whether the schema is created and extended when the store is opened. Default true. */
  readonly migrate?: boolean
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
      // From here on what is recorded waits.
      yield* log.outgoing(0)
      const { forward, upToDate } = forwardUsage(clickhouse, log)
      return ports.pipe(
        Context.add(UsageLog, { ...log, forward }),
        Context.add(AnalyticsReader, makeAnalyticsReader(clickhouse, upToDate))
      )
    })
  )
