/** `gatewarden usage move`. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandLine, print, printJson } from "../control/CommandLine.ts"
import type { OutputOf } from "../control/storeCommands.ts"
import { withStore } from "../control/withStore.ts"
import { failed } from "../failure/Failed.ts"
import { json } from "./flags.ts"
import { showProgress } from "./showProgress.ts"
import { untilStopped } from "./untilStopped.ts"
import { withConfiguration } from "./withConfiguration.ts"

/** `clickhouse://` is http, `clickhouses://` is https. */
const addressOf = (to: string) => {
  const url = to.replace(/^clickhouse(s?):\/\//, "http$1://")
  return /^https?:\/\//.test(url) && URL.canParse(url)
    ? Effect.succeed(url)
    : failed("usage", "--to expects clickhouse://user:password@host:8123/database, or clickhouses:// for TLS")
}

export const usageMove = Command.make(
  "move",
  {
    to: Flag.String("to").pipe(
      Flag.withDescription("ClickHouse that receives the usage, such as clickhouse://user:password@host:8123/database.")
    ),
    json
  },
  ({ to, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const url = yield* addressOf(to)
        const { stderr } = yield* CommandLine
        const cluster = configuration.values.GATEWARDEN_CLICKHOUSE_CLUSTER
        const input = { url, ...(cluster === undefined ? {} : { cluster }) }
        const moving = withStore(configuration, { name: "moveUsage", input }, (first, call) =>
          Effect.gen(function* () {
            const show = yield* showProgress("usage", stderr)
            let piece: OutputOf<"moveUsage"> = first
            let events = piece.events
            while (!piece.isDone) {
              piece = yield* call("moveUsage", input)
              events += piece.events
              show({ rows: events, bytes: 0, size: undefined })
            }
            return events
          }).pipe(Effect.scoped)
        )
        const events = yield* untilStopped(moving)
        if (json) return yield* printJson({ events })
        yield* print(`${events} events moved`)
      })
    )
).pipe(
  Command.withDescription(
    "Copy recorded usage to ClickHouse. An interrupted copy continues when you run the command again; nothing is deleted."
  ),
  Command.withExamples([
    {
      command: "gatewarden usage move --to clickhouse://user:password@host:8123/database",
      description: "Copy the history"
    }
  ])
)
