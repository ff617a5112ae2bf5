/** What the command line asks of a store about destinations and their deliveries. The operations are those of the API. */
import {
  DeadLetter,
  Delivery,
  DeliveryOutcome,
  DeliveryStatus,
  ReplayDeadLetters,
  destinationTypes,
  listOf,
  uuid
} from "@gatewarden/contract/internal"
import {
  deliveryStatus,
  listDeadLetters,
  listDeliveries,
  replayDeadLetters,
  Destinations,
  Workspaces,
  defaultAccountName,
  everyEntry
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import * as z from "zod"
import { failed } from "../failure/Failed.ts"
import { command } from "../store/StoreCommand.ts"
import { accountNamed } from "./accountNamed.ts"
import { operatorOf } from "./operatorOf.ts"
import { workspaceNamed } from "./workspaceNamed.ts"

const account = z.string().default(defaultAccountName)
const ofDestination = { account, id: uuid }
const page = { limit: z.int().min(1).max(100).default(50), offset: z.int().min(0).default(0) }

/** How many destinations, and workspaces that are searched for them, one answer has at most. */
const most = 1_000

/** In the order in which they are told: the first that holds. */
export const destinationStates = ["disabled", "circuit open", "refusing", "failing", "waiting", "ok"] as const

const stateOf = (enabled: boolean, { circuit, state, waiting }: DeliveryStatus): (typeof destinationStates)[number] => {
  if (!enabled) return "disabled"
  if (circuit === "open") return "circuit open"
  return state === "ok" && waiting > 0 ? "waiting" : state
}

const types = destinationTypes.map(({ type }) => type)

const ListedDestination = z.object({
  id: z.string(),
  type: z.enum(types),
  name: z.string().nullable(),
  workspace_id: z.string(),
  /** Slug of the workspace. */
  workspace: z.string(),
  state: z.enum(destinationStates),
  status: DeliveryStatus
})

const absent = (id: string, name: string) =>
  failed("missing", `There is no destination ${id} in the account "${name}"; gatewarden destinations lists them`)

export const destinationCommands = {
  listDestinations: command({
    /** The workspace by id or slug; without one, every workspace of the account. */
    input: z.object({ account, workspace: z.string().optional() }),
    output: z.object({ destinations: z.array(ListedDestination), is_complete: z.boolean() }),
    run: Effect.fnUntraced(function* ({ account, workspace }) {
      const { id: account_id } = yield* accountNamed(account)
      const destinations = yield* Destinations
      const { list } = yield* Workspaces
      const searched =
        workspace === undefined
          ? yield* everyEntry((asked) => list(account_id, asked), most + 1)
          : [yield* workspaceNamed(account_id, { account, workspace })]
      const found: z.output<typeof ListedDestination>[] = []
      for (const { id: workspace_id, slug } of searched.slice(0, most)) {
        const listed = yield* everyEntry((asked) => destinations.list(account_id, { workspace_id }, asked), most + 1)
        for (const { id } of listed) {
          if (found.length === most) return { destinations: found, is_complete: false }
          const stored = yield* destinations.find(account_id, id)
          // It was deleted meanwhile.
          if (Option.isNone(stored)) continue
          const { type, name, enabled } = stored.value.destination
          const status = yield* deliveryStatus(account_id, stored.value)
          found.push({ id, type, name, workspace_id, workspace: slug, state: stateOf(enabled, status), status })
        }
      }
      return { destinations: found, is_complete: searched.length <= most }
    })
  }),
  listDeliveries: command({
    input: z.object({ ...ofDestination, ...page, outcome: DeliveryOutcome.optional() }),
    output: listOf(Delivery).extend({ status: DeliveryStatus }),
    run: Effect.fnUntraced(function* ({ account, id, ...asked }) {
      const { id: account_id } = yield* accountNamed(account)
      return yield* listDeliveries(operatorOf(account_id), id, asked).pipe(
        Effect.catchTag("NotFound", () => absent(id, account))
      )
    })
  }),
  listDeadLetters: command({
    input: z.object({ ...ofDestination, ...page }),
    output: listOf(DeadLetter),
    run: Effect.fnUntraced(function* ({ account, id, ...asked }) {
      const { id: account_id } = yield* accountNamed(account)
      return yield* listDeadLetters(operatorOf(account_id), id, asked).pipe(
        Effect.catchTag("NotFound", () => absent(id, account))
      )
    })
  }),
  replayDeadLetters: command({
    input: z.object({ ...ofDestination, letters: ReplayDeadLetters }),
    output: z.object({ replayed: z.int(), remaining: z.int() }),
    run: Effect.fnUntraced(function* ({ account, id, letters }) {
      const { id: account_id } = yield* accountNamed(account)
      return yield* replayDeadLetters(operatorOf(account_id), id, letters).pipe(
        Effect.catchTags({
          NotFound: () => absent(id, account),
          Conflict: () =>
            failed(
              "failure",
              "The destination receives nothing at present: enable it, and delivery in its workspace, and repeat"
            ),
          // The operator may send everything.
          Forbidden: Effect.die
        })
      )
    })
  })
} as const
