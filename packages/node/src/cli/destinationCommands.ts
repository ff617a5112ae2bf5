/** `gatewarden destinations`, `deliveries`, `dead-letters` and `replay`: how deliveries go, for the operator. */
import { DeliveryOutcome, mostReplayed } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { failed } from "../failure/Failed.ts"
import { columns } from "./columns.ts"
import { account, json } from "./flags.ts"
import { withConfiguration } from "./withConfiguration.ts"

const id = Argument.String("id").pipe(
  Argument.withDescription("Id of the destination, as `gatewarden destinations` prints it.")
)

const page = {
  limit: Flag.Int("limit").pipe(Flag.withDescription("At most how many, 1 to 100. Default: 50."), Flag.withDefault(50)),
  offset: Flag.Int("offset").pipe(Flag.withDescription("How many to pass over. Default: 0."), Flag.withDefault(0))
}

/** Says that there are more, if there are. */
const printRest = (shown: number, offset: number, total: number) =>
  offset + shown < total ? print(`${total - offset - shown} more: --offset ${offset + shown}`) : Effect.void

export const destinations = Command.make(
  "destinations",
  {
    account,
    workspace: Flag.String("workspace").pipe(
      Flag.withDescription("Only those of this workspace, by id or slug."),
      Flag.optional
    ),
    json
  },
  ({ account, workspace, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const { destinations, is_complete } = yield* callStore(configuration, "listDestinations", {
          account,
          workspace: Option.getOrUndefined(workspace)
        })
        if (json) return yield* printJson({ destinations, is_complete })
        yield* print(
          columns([
            ["ID", "WORKSPACE", "TYPE", "STATE", "WAITING", "DELIVERED", "DEAD", "LAST DELIVERED", "NAME"],
            ...destinations.map(({ id, workspace, type, state, status, name }) => [
              id,
              workspace,
              type,
              state,
              String(status.waiting),
              String(status.delivered),
              String(status.dead),
              status.last_delivered_at ?? "never",
              name ?? ""
            ])
          ])
        )
        if (!is_complete) yield* print("There are more: add --workspace")
      })
    )
).pipe(
  Command.withDescription(
    "List the observability destinations of an account with their state: ok, waiting (events wait for it), failing (the last attempt failed), refusing (the platform refuses everything), circuit open (it is tried now and then) or disabled."
  ),
  Command.withExamples([
    { command: "gatewarden destinations", description: "Those of the default account" },
    { command: "gatewarden destinations --account acme --json", description: "With all that is known, for a script" }
  ])
)

export const deliveries = Command.make(
  "deliveries",
  {
    id,
    account,
    outcome: Flag.Literals("outcome", DeliveryOutcome.options).pipe(
      Flag.withDescription("Only attempts with this outcome."),
      Flag.optional
    ),
    ...page,
    json
  },
  ({ id, account, outcome, limit, offset, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const asked = { account, id, limit, offset, outcome: Option.getOrUndefined(outcome) }
        const { data, total_count, status } = yield* callStore(configuration, "listDeliveries", asked)
        if (json) return yield* printJson({ data, total_count, status })
        yield* print(
          columns([
            ["NUMBER", "ENDED", "OUTCOME", "EVENTS", "ACCEPTED", "REFUSED", "STATUS", "MS", "MESSAGE"],
            ...data.map((attempt) => [
              String(attempt.number),
              attempt.ended_at,
              attempt.outcome,
              String(attempt.events),
              String(attempt.accepted),
              String(attempt.refused),
              String(attempt.status ?? "-"),
              String(attempt.duration_ms),
              attempt.message ?? ""
            ])
          ])
        )
        yield* printRest(data.length, offset, total_count)
      })
    )
).pipe(
  Command.withDescription("List the last attempts to deliver to a destination, the latest first."),
  Command.withExamples([
    {
      command: "gatewarden deliveries 9c1e5b1a-0b3f-4a38-8f0e-2d9f6f0f6b7d --outcome refused",
      description: "What the platform refused, and how it answered"
    }
  ])
)

export const deadLetters = Command.make("dead-letters", { id, account, ...page, json }, (flags) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const { json, ...asked } = flags
      const { data, total_count } = yield* callStore(configuration, "listDeadLetters", asked)
      if (json) return yield* printJson({ data, total_count })
      yield* print(
        columns([
          ["EVENT", "DIED", "STATUS", "MESSAGE"],
          ...data.map(({ event_id, died_at, status, message }) => [event_id, died_at, String(status ?? "-"), message])
        ])
      )
      yield* printRest(data.length, asked.offset, total_count)
    })
  )
).pipe(
  Command.withDescription("List the events that a destination did not accept, the latest first, without bodies."),
  Command.withExamples([
    {
      command: "gatewarden dead-letters 9c1e5b1a-0b3f-4a38-8f0e-2d9f6f0f6b7d",
      description: "The events, and why they were not accepted"
    }
  ])
)

export const replay = Command.make(
  "replay",
  {
    id,
    account,
    event: Flag.String("event").pipe(
      Flag.withDescription("Id of an event to send again. May be given several times."),
      Flag.atLeast(0)
    ),
    until: Flag.String("until").pipe(
      Flag.withDescription("Send all again that died until this time, such as 2026-01-05T00:00:00Z, the oldest first."),
      Flag.optional
    ),
    json
  },
  ({ id, account, event, until, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        if (event.length > 0 === Option.isSome(until))
          return yield* failed("usage", "Expected either --event or --until")
        const letters = Option.isSome(until) ? { until: until.value } : { event_ids: [...event] }
        const replayed = yield* callStore(configuration, "replayDeadLetters", { account, id, letters })
        if (json) return yield* printJson(replayed)
        yield* print(
          columns([
            ["replayed", String(replayed.replayed)],
            ["dead letters left", String(replayed.remaining)]
          ])
        )
      })
    )
).pipe(
  Command.withDescription(
    `Send dead letters of a destination again: at most ${mostReplayed} at a time; run it again for more. The audit log records it.`
  ),
  Command.withExamples([
    {
      command: "gatewarden replay 9c1e5b1a-0b3f-4a38-8f0e-2d9f6f0f6b7d --until 2026-01-05T00:00:00Z",
      description: "Send again what died until then"
    }
  ])
)
