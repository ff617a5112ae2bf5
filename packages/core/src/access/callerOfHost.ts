/**
 * Turns a host's answer about its user into a caller.
 *
 * An account or workspace that does not exist (any more) is 401, as the key of a deleted workspace is. Cached for each user, like keys.
 */
import { Context, Effect, Option } from "effect"
import { KeyCache } from "../cache/KeyCache.ts"
import { Digest } from "../platform/Digest.ts"
import { Accounts, defaultAccountName } from "../ports/accounts.ts"
import { type AuthenticatedKey, unsetKey } from "../ports/keys.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { Unauthorized } from "../value/failure.ts"
import type { Caller } from "./Caller.ts"
import { callerOf } from "./authenticate.ts"
import { type HostAnswer, HostCaller } from "./HostCaller.ts"

/**
 * The host's function that maps a request to a caller; by default there is none, and keys alone decide. It is called before a key is
 * checked, and must not read the body. A defect becomes 500.
 */
export const HostAuthentication = Context.Reference<((request: Request) => Effect.Effect<HostAnswer>) | undefined>(
  "gatewarden/HostAuthentication",
  { defaultValue: () => undefined }
)

/** The record that stands for a key if a host authenticated its user: named after the user, without limit or end. */
export const hostKey = (caller: Omit<Caller, "host">): AuthenticatedKey => ({
  ...unsetKey,
  hash: caller.key_hash,
  account_id: caller.account_id,
  kind: caller.kind,
  workspace_id: caller.workspace_id,
  default_workspace_id: caller.default_workspace_id,
  is_operator: caller.is_operator,
  is_suspended: false,
  user_id: caller.user_id,
  creator_user_id: caller.user_id,
  name: caller.user_id ?? "",
  label: caller.user_id ?? "",
  restrictions: caller.restrictions,
  created_at: new Date(0).toISOString(),
  secrets: []
})

export const callerOfHost = Effect.fnUntraced(function* (answer: HostCaller) {
  const checked = HostCaller.safeParse(answer)
  if (!checked.success) {
    yield* Effect.logError("the host's caller is malformed", { fields: checked.error.issues.map(({ path }) => path) })
    return yield* Effect.die(new TypeError("the host's caller is malformed"))
  }
  const host = checked.data
  const cache = yield* KeyCache
  // Never equals a key's hash, which the same cache uses.
  const asked = JSON.stringify(host)
  const key = yield* cache.get(asked, Effect.map(placed(host), hostKey))
  return { ...callerOf(key), host: true as const }
})

const placed = Effect.fnUntraced(function* (host: HostCaller) {
  const account = Option.getOrUndefined(yield* (yield* Accounts).findByName(host.account))
  if (account === undefined) return yield* new Unauthorized({ reason: "unknown_account" })
  if (account.suspended_at !== null) return yield* new Unauthorized({ reason: "account_suspended" })
  const { id: account_id, default_workspace_id } = account
  const workspace_id = host.kind === "management" ? null : yield* workspaceIn(account, host.workspace)
  return {
    account_id,
    key_hash: yield* identityOf([account_id, host.kind, workspace_id, host.user]),
    kind: host.kind,
    workspace_id,
    default_workspace_id,
    user_id: host.user,
    is_operator: host.account === defaultAccountName,
    restrictions: null
  }
})

const workspaceIn = Effect.fnUntraced(function* (
  account: { readonly id: string; readonly default_workspace_id: string | null },
  named: string | undefined
) {
  if (named === undefined && account.default_workspace_id !== null) return account.default_workspace_id
  const found = named === undefined ? Option.none() : yield* (yield* Workspaces).find(account.id, named)
  if (Option.isNone(found)) return yield* new Unauthorized({ reason: "unknown_workspace" })
  return found.value.id
})

/** Takes the place of a key's hash. No key has this digest, because keys contain no spaces. */
const identityOf = (parts: readonly (string | null)[]) =>
  Effect.flatMap(Digest, (digest) => digest.sha256Hex(`gatewarden host caller ${JSON.stringify(parts)}`))
