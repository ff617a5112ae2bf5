/** The server as a program of its own: from the environment to its end. */
import { Effect } from "effect"
import { type Added, serve } from "../server/serve.ts"
import { CommandLine } from "../control/CommandLine.ts"
import { withConfiguration } from "./withConfiguration.ts"

/** How long closing the store may take once requests are done. */
const closeMillis = 15_000

/** `added`: what a host adds to the server. */
export const serveConfigured = (added?: Added) =>
  withConfiguration(
    Effect.fnUntraced(function* (configuration) {
      const { stopped, stdout, stderr, exitWithin } = yield* CommandLine
      // Work that cannot be interrupted, such as a write that the database does not confirm, must not keep the process running for ever.
      const stop = Effect.tap(
        stopped,
        Effect.sync(() => {
          const { GATEWARDEN_DRAIN_DELAY_MS, GATEWARDEN_DRAIN_TIMEOUT_MS } = configuration.values
          exitWithin(GATEWARDEN_DRAIN_DELAY_MS + GATEWARDEN_DRAIN_TIMEOUT_MS + closeMillis)
        })
      )
      yield* serve({ configuration, stopped: stop, stdout, stderr, added })
    })
  )
