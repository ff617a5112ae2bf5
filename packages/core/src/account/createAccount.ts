/**
 * Creates accounts, for the command line and the first start.
 *
 * Rule: access#accounts, access#key-hashes. The key itself is returned once and never stored.
 */
import { Option, Redacted } from "effect"
import { newApiKey } from "../key/newApiKey.ts"
import { Entropy } from "../platform/Entropy.ts"
import { Accounts, defaultAccountName } from "../ports/accounts.ts"
import { ApiKeys } from "../ports/keys.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { newWorkspace } from "../workspace/newWorkspace.ts"

type Key = Redacted.Redacted<string>

/** An account with its default workspace and a management key: `given`, or a generated one. Undefined when the name is taken. */
export const createAccount = operation("createAccount")(function* (name: string, given?: Key) {
  const accounts = yield* Accounts
  const entropy = yield* Entropy
  const now = yield* timestamp
  const account = { id: entropy.uuid(), name, created_at: now, suspended_at: null }
  const workspace = newWorkspace(entropy.uuid(), { name: "Default", slug: "default" }, "system", now)
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
  if (given === undefined && (yield* keys.list(account.id, { kind: "management" })).length > 0) return undefined
  const { key, record } = yield* newApiKey(firstKey(account.id), given)
  // False if the given key exists already.
  yield* keys.insert(record)
  return given === undefined ? key : undefined
})
