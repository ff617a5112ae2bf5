import { Effect } from "effect"
import type { Configuration } from "../config/readConfiguration.ts"
import { layerLogs } from "../logging/layerLogs.ts"
import { configured } from "../control/CommandLine.ts"

/** Runs with the configuration, its log level included. */
export const withConfiguration = <A, E, R>(use: (configuration: Configuration) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(configured, (configuration) =>
    Effect.provide(use(configuration), layerLogs(configuration.values.GATEWARDEN_LOG_LEVEL))
  )
