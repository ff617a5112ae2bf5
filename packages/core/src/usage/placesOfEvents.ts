/**
 * The account, workspace and users that usage events are recorded for.
 *
 * Rule: usage#attribution. With a management key all events belong to its account. With a gateway key an event belongs to the account of
 * the key that it names; an event without a known key must name `account_id`. An event without a user belongs to its key's user, and one
 * without an external user to its key's external user.
 */
import type { Issue, ReasonOf } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { actingIn, forOperator, isForOperator } from "../access/actingAccount.ts"
import { resolveWorkspace } from "../access/workspaceOfRequest.ts"
import { Accounts } from "../ports/accounts.ts"
import { type KeyOwner, type ReportedEvent, UsageLog } from "../ports/usage.ts"

export interface Refusal {
  readonly reason: ReasonOf<400>
  readonly issue: Issue
}

/** Why an event cannot be recorded: the field and what is wrong with it. */
export interface RefusedEvent extends Refusal {
  readonly index: number
}

/** `path`: within the event. */
export const refusal = (reason: ReasonOf<400>, path: string, message: string, code: string = reason): Refusal => ({
  reason,
  issue: { path, code, message }
})

export interface EventPlace {
  readonly account_id: string
  /** Of the key, whichever secret of it the event names; an unknown hash as it was sent. */
  readonly api_key_hash: string | null
  readonly workspace_id: string
  readonly user_id: string | null
  readonly external_user: string | null
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

const foreignAccount = (message: string): Refusal => refusal("unknown_account", "account_id", message)

/** The caller, acting in the account of an event, with the event's key if it is known. */
interface Acting {
  readonly actor: Caller
  readonly key: KeyOwner | undefined
}

const noKeys: ReadonlyMap<string, KeyOwner> = new Map()

const actorFinder = Effect.fnUntraced(function* (caller: Caller, events: readonly ReportedEvent[]) {
  const isGateway = caller.kind === "gateway"
  const hashes = distinct(events.flatMap(({ api_key_hash }) => api_key_hash ?? []))
  const keys =
    hashes.length === 0 ? noKeys : yield* (yield* UsageLog).keysOf(isGateway ? undefined : caller.account_id, hashes)
  const keyOf = ({ api_key_hash }: ReportedEvent) => (api_key_hash == null ? undefined : keys.get(api_key_hash))
  if (!isGateway)
    return (event: ReportedEvent): Acting | Refusal =>
      event.account_id != null && event.account_id !== caller.account_id
        ? foreignAccount("A management key acts in its own account only")
        : { actor: caller, key: keyOf(event) }

  const accounts = distinct(events.flatMap((event) => keyOf(event)?.account_id ?? event.account_id ?? []))
  const workspaces = yield* (yield* Accounts).defaultWorkspaces(accounts)
  return (event: ReportedEvent): Acting | Refusal => {
    const key = keyOf(event)
    if (key !== undefined && event.account_id != null && event.account_id !== key.account_id)
      return foreignAccount("The key that the event names belongs to another account")
    const account_id = key?.account_id ?? event.account_id
    if (account_id == null)
      return refusal("account_required", "account_id", "Expected the account, as api_key_hash names no key of any")
    const default_workspace_id = workspaces.get(account_id)
    if (default_workspace_id === undefined) return foreignAccount("No account has this id")
    return { actor: actingIn(caller, { account_id, default_workspace_id }), key }
  }
})

/** The account of each event, if it is known. */
export const accountsOfEvents = (caller: Caller, events: readonly ReportedEvent[]) =>
  Effect.map(actorFinder(caller, events), (actingFor) => (event: ReportedEvent): string | undefined => {
    const acting = actingFor(event)
    return "issue" in acting ? undefined : acting.actor.account_id
  })

/** Account, workspace and users of each event. Each named workspace is looked up once. */
export const placesOfEvents = Effect.fnUntraced(function* (caller: Caller, events: readonly ReportedEvent[]) {
  const actingFor = yield* actorFinder(caller, events)
  const named = new Map<string, string | Refusal>()

  const workspaceOf = Effect.fnUntraced(function* ({ actor, key }: Acting, workspace_id: string | null | undefined) {
    if (workspace_id == null)
      return (
        key?.workspace_id ??
        actor.default_workspace_id ??
        refusal(
          "default_workspace_deleted",
          "workspace_id",
          "The account's default workspace was deleted: send a workspace_id"
        )
      )
    const place = `${actor.account_id} ${workspace_id}`
    const known = named.get(place)
    if (known !== undefined) return known
    const found = yield* resolveWorkspace(actor, workspace_id, "workspace_id").pipe(
      Effect.catch(
        ({ reason, issues }: { readonly reason: ReasonOf<400>; readonly issues?: readonly { message: string }[] }) =>
          Effect.succeed(refusal(reason, "workspace_id", issues?.[0]?.message ?? "Unknown workspace"))
      )
    )
    named.set(place, found)
    return found
  })

  return Effect.fnUntraced(function* (event: ReportedEvent) {
    const acting = actingFor(event)
    if ("issue" in acting) return acting
    if (yield* isForOperator(caller, event.id))
      return refusal("invalid_request", "id", forOperator, "operator_required")
    const workspace_id = yield* workspaceOf(acting, event.workspace_id)
    if (typeof workspace_id !== "string") return workspace_id
    const place: EventPlace = {
      account_id: acting.actor.account_id,
      workspace_id,
      api_key_hash: acting.key?.hash ?? event.api_key_hash ?? null,
      user_id: event.user_id ?? acting.key?.user_id ?? null,
      external_user: event.external_user ?? acting.key?.external_user ?? null
    }
    return place
  })
})
