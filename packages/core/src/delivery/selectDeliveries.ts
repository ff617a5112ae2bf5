/**
 * Selects what of the events that are about to be recorded is delivered, and encrypts the bodies that a destination receives or the workspace
 * keeps.
 *
 * Rule: observability#selection, observability#bodies, usage#prompt-logging. Bodies that nobody receives or keeps end here.
 */
import { Clock, Context, Effect, Option, Redacted } from "effect"
import { outsideTransactions } from "../cache/Freshness.ts"
import { Destinations } from "../ports/destinations.ts"
import { isLogged, mayBeKept, promptLoggingOf, type roomForBodies } from "../prompt/promptLogging.ts"
import { type Bodies, contextOfBodies, contextOfContent, sealBodies } from "../prompt/sealBodies.ts"
import { Workspaces } from "../ports/workspaces.ts"
import {
  type ReportedEvent,
  type SelectedEvent,
  type SelectedEvents,
  type UsageEvent,
  UsageLog,
  noneSelected
} from "../ports/usage.ts"
import { makeWaitingTurns } from "../value/Turns.ts"
import { loopPauses, inSlices, WorkingAccount } from "../value/inSlices.ts"
import { searchedCharacters, type SharedBudget, sharedBudget } from "./filterRules.ts"
import { RecipientCache, type WorkspaceRecipients } from "./RecipientCache.ts"
import { type Recipient, recipientOf, selectBeforeRules, selectByRules } from "./selectDestinations.ts"
import { textOfBody, withoutMedia } from "./withoutMedia.ts"

/** An event as it will be recorded, and the report that has its bodies. */
export interface RecordableEvent {
  readonly account_id: string
  readonly event: UsageEvent
  readonly reported: Pick<ReportedEvent, "input" | "output">
  /** It was admitted where nothing may be retained: destinations may receive its bodies, the workspace does not keep them. */
  readonly isForgotten?: boolean
}

const lookUpRecipients = Effect.fnUntraced(function* (account_id: string, workspace_id: string) {
  const found = yield* (yield* Destinations).receiving(account_id, workspace_id)
  const workspace = yield* (yield* Workspaces).find(account_id, workspace_id)
  const destinations: Recipient[] = []
  const breath = yield* loopPauses
  for (const destination of found) {
    if (breath.isDue()) yield* breath.pause
    destinations.push(recipientOf(destination))
  }
  return {
    destinations,
    logging: Option.isSome(workspace) ? promptLoggingOf(workspace.value) : null
  } satisfies WorkspaceRecipients
})

/** Those of one workspace may take megabytes, and an account may have many that are not kept. */
const RecipientTurns = Context.Reference("gatewarden/RecipientTurns", { defaultValue: () => makeWaitingTurns(1) })

/** The recipients of each workspace that has any, or keeps bodies itself. */
const recipientsOf = Effect.fnUntraced(function* (recordable: readonly RecordableEvent[]) {
  const cache = yield* RecipientCache
  const turns = yield* RecipientTurns
  const now = yield* Clock.currentTimeMillis
  const found = new Map<string, WorkspaceRecipients>()
  const none = new Set<string>()
  for (const { account_id, event } of recordable) {
    const { workspace_id } = event
    if (found.has(workspace_id) || none.has(workspace_id)) continue
    const recipients =
      cache.kept(workspace_id, now, account_id) ??
      (yield* outsideTransactions(turns.goingOn(account_id))(
        cache.get(workspace_id, lookUpRecipients(account_id, workspace_id), account_id)
      ))
    if (recipients.destinations.length > 0 || recipients.logging !== null) found.set(workspace_id, recipients)
    else none.add(workspace_id)
  }
  return found
})

/** Names of the keys that events name, by hash; nothing is looked up unless a rule needs it. */
const keyNamesOf = Effect.fnUntraced(function* (recordable: readonly RecordableEvent[]) {
  const hashes = new Map<string, Set<string>>()
  for (const { account_id, event } of recordable) {
    if (event.api_key_hash === null) continue
    const known = hashes.get(account_id)
    if (known === undefined) hashes.set(account_id, new Set([event.api_key_hash]))
    else known.add(event.api_key_hash)
  }
  const log = yield* UsageLog
  const names = new Map<string, string>()
  for (const [account_id, own] of hashes)
    for (const [hash, { name }] of yield* log.keysOf(account_id, [...own])) names.set(hash, name)
  return names
})

const noBodies: Bodies = {}

const bodiesOf = ({ input, output }: RecordableEvent["reported"]): Bodies =>
  input === undefined && output === undefined
    ? noBodies
    : {
        ...(input === undefined ? {} : { input: withoutMedia(input) }),
        ...(output === undefined ? {} : { output: withoutMedia(output) })
      }

const textOf = (body: unknown): string | null => (body == null ? null : textOfBody(body, searchedCharacters))

/** Whether the workspace keeps what was reported of the event. */
const isKept = Effect.fnUntraced(function* (
  { account_id, event, reported, isForgotten }: RecordableEvent,
  { logging }: WorkspaceRecipients
) {
  if (logging === null || isForgotten || (reported.input === undefined && reported.output === undefined)) return false
  if (event.api_key_hash === null || !isLogged(logging, event)) return false
  return yield* mayBeKept(account_id, event.api_key_hash)
})

const nobody: WorkspaceRecipients = { destinations: [], logging: null }

const isSame = (some: readonly Recipient[], others: readonly Recipient[]): boolean =>
  some === others || (some.length === others.length && some.every((recipient, index) => recipient === others[index]))

/**
 * What is selected of one event after another. Most are for the destinations of the one before: they share one list, and without bodies all of it,
 * which lets the store write them together.
 */
const selecting = () => {
  let named: readonly Recipient[] = []
  let plain: SelectedEvent = { destinations: [], sealed_bodies: null, sealed_content: null }
  return (by: readonly Recipient[]): SelectedEvent => {
    if (!isSame(by, named)) {
      named = by
      plain = { destinations: by.map(({ id }) => id), sealed_bodies: null, sealed_content: null }
    }
    return plain
  }
}

/** An event with bodies that are delivered or kept. */
interface Sealable {
  readonly one: RecordableEvent
  readonly destinations: readonly string[]
  readonly bodies: Redacted.Redacted<Bodies>
  readonly isDelivered: boolean
  readonly isLogged: boolean
}

/** Events without rules and bodies between two looks at the clock, which takes as long as one of them. */
const plainAtOnce = 64

/**
 * What of the events is delivered, and where, and what is kept of its bodies; of the others nothing is kept but the event.
 *
 * @param withRoom - Of the request that records them.
 */
export const selectDeliveries = Effect.fnUntraced(function* (
  recordable: readonly RecordableEvent[],
  withRoom: ReturnType<typeof roomForBodies>
) {
  const recipients = yield* recipientsOf(recordable)
  if (recipients.size === 0) return noneSelected
  const concerned = recordable.filter(({ event }) => recipients.has(event.workspace_id))
  const all = [...recipients.values()].flatMap(({ destinations }) => destinations)
  const logged = new Set<UsageEvent>()
  if ([...recipients.values()].some(({ logging }) => logging !== null))
    for (const one of concerned)
      if (yield* isKept(one, recipients.get(one.event.workspace_id) ?? nobody)) logged.add(one.event)
  const names = all.some(({ rules }) => rules?.needsKeyName) ? yield* keyNamesOf(concerned) : undefined
  const needsBodies = all.some(({ rules, receivesBodies }) => receivesBodies || rules?.needsBodies)
  const hasRules = all.some(({ rules }) => rules !== null)
  const isSearched = all.some(({ rules }) => rules?.needsBodies)

  const deliveries = new Map<UsageEvent, SelectedEvent>()
  const selectedBy = selecting()
  const sealable: Sealable[] = []
  const budgets = new Map<string, SharedBudget>()
  const budgetOf = (account_id: string): SharedBudget => {
    const budget = budgets.get(account_id) ?? sharedBudget()
    budgets.set(account_id, budget)
    return budget
  }
  const [working = "", ...others] = new Set(concerned.map(({ account_id }) => account_id))
  const judging = inSlices(
    (function* () {
      let unpaused = 0
      for (const one of concerned) {
        const { event } = one
        const isLogged = logged.has(event)
        const before = selectBeforeRules(recipients.get(event.workspace_id)?.destinations ?? [], event)
        if (before.length === 0 && !isLogged) {
          if (++unpaused % plainAtOnce === 0) yield
          continue
        }
        const bodies = needsBodies || isLogged ? bodiesOf(one.reported) : noBodies
        const by = hasRules
          ? yield* selectByRules(
              before,
              {
                event,
                api_key_name: names?.get(event.api_key_hash ?? "") ?? null,
                input: isSearched && "input" in bodies ? textOf(bodies.input) : null,
                output: isSearched && "output" in bodies ? textOf(bodies.output) : null
              },
              budgetOf(one.account_id)
            )
          : before
        if (hasRules || bodies !== noBodies || ++unpaused % plainAtOnce === 0) yield
        if (by.length === 0 && !isLogged) continue
        const plain = selectedBy(by)
        deliveries.set(event, plain)
        const isDelivered = bodies !== noBodies && by.some(({ receivesBodies }) => receivesBodies)
        const { destinations } = plain
        if (isDelivered || isLogged)
          sealable.push({ one, destinations, bodies: Redacted.make(bodies), isDelivered, isLogged })
      }
    })()
  )
  yield* others.length === 0 ? Effect.provideService(judging, WorkingAccount, working) : judging
  for (const [account, { exceeded }] of budgets)
    if (exceeded > 0) yield* Effect.logWarning("filter rules take too long", { account, events: exceeded })
  const dropped = new Map<string, number>()
  for (const { one, destinations, bodies, isDelivered, isLogged } of sealable) {
    const { account_id, event } = one
    const { id, workspace_id } = event
    const sealed_content = isLogged
      ? yield* withRoom(account_id, sealBodies(bodies, contextOfContent(account_id, workspace_id, id)))
      : null
    if (isLogged && sealed_content === null) dropped.set(account_id, (dropped.get(account_id) ?? 0) + 1)
    deliveries.set(event, {
      destinations,
      sealed_bodies: isDelivered ? yield* sealBodies(bodies, contextOfBodies(account_id, workspace_id, id)) : null,
      sealed_content
    })
  }
  for (const [account, events] of dropped)
    yield* Effect.logWarning("bodies are not stored, because the quota of the account is used up", { account, events })
  return deliveries satisfies SelectedEvents
})
