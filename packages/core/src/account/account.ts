import { noUser } from "@gatewarden/contract/internal"
import { Effect, Option, Redacted } from "effect"
import { newApiKey } from "../key/key.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type Account, Accounts, defaultAccountName } from "../ports/accounts.ts"
import { ApiKeys } from "../ports/keys.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { newWorkspace } from "../workspace/operations.ts"

type Key = Redacted.Redacted<string>

/**
 * Creates accounts, for the command line and the first start.
 *
 * Rule: access#accounts, access#key-hashes. The key itself is returned once and never stored.
 *
 * An account with its default workspace and a management key: `given`, or a generated one. Undefined when the name is taken.
 */
export const createAccount = operation("createAccount")(function* (name: string, given?: Key) {
  const accounts = yield* Accounts
  const entropy = yield* Entropy
  const now = yield* timestamp
  const account = { id: entropy.uuid(), name, created_at: now, suspended_at: null }
  const workspace = newWorkspace(entropy.uuid(), { name: "Default", slug: "default" }, noUser, now)
  const { key, record } = yield* newApiKey(firstKey(account.id), given)
  return (yield* accounts.create(account, workspace, record)) ? { account, workspace, key } : undefined
})

const firstKey = (account_id: string) =>
  ({ kind: "management", account_id, workspace_id: null, name: "management" }) as const

/**
 * Ensures that the default account exists and has a management key: the given one, or any. Returns a key that had to be generated, to be
 * shown once. If several processes start at once, one of them creates the account.
 */
export const ensureDefaultAccount = operation("ensureDefaultAccount")(function* (given?: Key) {
  const created = yield* createAccount(defaultAccountName, given)
  if (created !== undefined) return given === undefined ? created.key : undefined
  const keys = yield* ApiKeys
  const account = Option.getOrThrow(yield* (yield* Accounts).findByName(defaultAccountName))
  if (given === undefined && (yield* keys.list(account.id, { kind: "management" }, { offset: 0, limit: 1 })).length > 0)
    return undefined
  const { key, record } = yield* newApiKey(firstKey(account.id), given)
  // False if the given key exists already.
  yield* keys.insert(record)
  return given === undefined ? key : undefined
})

/** `operator`: the account `default` operates the installation and cannot be suspended. `missing`: there is no such account. */
export type Suspension = Account | "operator" | "missing"

const change = Effect.fnUntraced(function* (name: string, suspended_at: string | null) {
  if (name === defaultAccountName) return "operator" as const
  const changed = Option.getOrUndefined(yield* (yield* Accounts).setSuspended(name, suspended_at))
  if (changed === undefined) return "missing" as const
  return changed
})

/**
 * Suspends or resumes an account. While an account is suspended, every key of it is refused with 401 `account_suspended`, also by data
 * planes, and nothing of it is deleted. Applies at once on this process and within two seconds on every other
 * (Rule: access#changes-take-effect).
 *
 * Spending from before is still recorded: open admissions can be settled with a gateway key or in process.
 */
export const suspendAccount = operation("suspendAccount")(function* (name: string) {
  return (yield* change(name, yield* timestamp)) satisfies Suspension
})

export const resumeAccount = operation("resumeAccount")(function* (name: string) {
  return (yield* change(name, null)) satisfies Suspension
})
