/** What the command line does with usage. */
import { SentUsageEvent } from "@gatewarden/contract"
import { type Caller, importUsageEvents } from "@gatewarden/core/effect"
import { defaultAccountName, Workspaces } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import * as z from "zod"
import { exitCode } from "../../exitCode.ts"
import { failed } from "../../Failed.ts"
import { accountNamed } from "../store/accountNamed.ts"
import { describeIssues } from "../store/describeIssues.ts"
import { command } from "../store/StoreCommand.ts"

const target = z.object({
  account: z.string().default(defaultAccountName),
  /** Id or slug. */
  workspace: z.string().default("default")
})

const workspaceNamed = Effect.fnUntraced(function* (
  account_id: string,
  { account, workspace }: z.output<typeof target>
) {
  const found = yield* (yield* Workspaces).find(account_id, workspace)
  if (Option.isSome(found)) return found.value.id
  return yield* failed(exitCode.failure, `There is no workspace "${workspace}" in the account "${account}"`)
})

export const usageCommands = {
  /** Where an import goes; fails when there is no such place. */
  findUsageTarget: command({
    input: target,
    output: z.object({ account_id: z.string(), workspace_id: z.string() }),
    run: Effect.fnUntraced(function* (input) {
      const { id } = yield* accountNamed(input.account)
      return { account_id: id, workspace_id: yield* workspaceNamed(id, input) }
    })
  }),
  importUsage: command({
    /** An event without a workspace goes to its key's, else to the one given here. What is no event is refused by itself. */
    input: z.object({ account_id: z.string(), workspace_id: z.string(), events: z.array(z.unknown()) }),
    output: z.object({
      accepted: z.int(),
      duplicates: z.int(),
      /** Why events were not recorded, by their index. */
      refused: z.array(z.object({ index: z.int(), message: z.string() }))
    }),
    run: Effect.fnUntraced(function* ({ account_id, workspace_id, events }) {
      const operator: Caller = {
        account_id,
        default_workspace_id: workspace_id,
        kind: "management",
        key_hash: "",
        workspace_id: null,
        user_id: null,
        is_operator: true
      }
      const { fit, places, unfit } = sorted(events)
      const { refused, ...counts } = yield* importUsageEvents(operator, fit)
      const refusedByStore = refused.map(({ index, issue }) => ({
        index: places[index] ?? index,
        message: `${issue.path}: ${issue.message}`
      }))
      return { ...counts, refused: [...unfit, ...refusedByStore] }
    })
  })
} as const

/** What the contract takes for events, with their places among what was sent, and why it does not take the others. */
const sorted = (events: readonly unknown[]) => {
  const fit: SentUsageEvent[] = []
  const places: number[] = []
  const unfit: { readonly index: number; readonly message: string }[] = []
  for (const [index, event] of events.entries()) {
    const result = SentUsageEvent.safeParse(event)
    if (result.success) {
      fit.push(result.data)
      places.push(index)
    } else unfit.push({ index, message: describeIssues(result.error).join("; ") })
  }
  return { fit, places, unfit }
}
