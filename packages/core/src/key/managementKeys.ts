import type {
  CreateManagementKey,
  ManagementKey,
  QueryOf,
  listManagementKeys as declaration
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { isLive, refuseDeprovisioned } from "../access/liveKeys.ts"
import { unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { type ApiKey, ApiKeys } from "../ports/keys.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { operation } from "../tracing/operation.ts"
import { Conflict, invalid, notFound } from "../value/failure.ts"
import { newApiKey, readExpiry } from "./key.ts"
import { revokeKey } from "./operations.ts"

export const printedManagementKey = (key: ApiKey): ManagementKey => ({
  hash: key.hash,
  name: key.name,
  label: key.label,
  restrictions: key.restrictions,
  creator_user_id: key.creator_user_id,
  expires_at: key.expires_at,
  created_at: key.created_at
})

/** Look-ups at a time. A key names at most a hundred workspaces. */
const atOnce = 8

/** Rule: access#restricted-keys. The key is of the user who makes it. */
export const createManagementKey = operation("createManagementKey")(function* (
  caller: Caller,
  { name, restrictions, expires_at: end }: CreateManagementKey
) {
  const expires_at = yield* readExpiry(end, "expires_at")
  yield* refuseOutliving(caller, expires_at)
  const known = yield* Effect.forEach(restrictions?.workspace_ids ?? [], (id) => hasWorkspace(caller.account_id, id), {
    concurrency: atOnce
  })
  if (known.includes(false)) return yield* unknownWorkspace(`restrictions.workspace_ids.${known.indexOf(false)}`)
  yield* refuseDeprovisioned(caller.account_id, caller.user_id, "")
  yield* requireQuota("keys_per_account", caller)
  const { key, record } = yield* newApiKey({
    kind: "management",
    account_id: caller.account_id,
    workspace_id: null,
    user_id: caller.user_id,
    creator_user_id: caller.user_id,
    name,
    restrictions: restrictions ?? null,
    expires_at
  })
  if (!(yield* (yield* ApiKeys).insert(record))) {
    // The directory may have said so meanwhile.
    yield* refuseDeprovisioned(caller.account_id, caller.user_id, "")
    return yield* Effect.die(new Error("a new key exists already"))
  }
  return { data: printedManagementKey(record), key }
})

/** A host decides by itself how long its users may act. */
const refuseOutliving = Effect.fnUntraced(function* (caller: Caller, expires_at: string | null) {
  if (caller.host) return
  const [own] = yield* (yield* ApiKeys).list(caller.account_id, { hashes: [caller.key_hash] })
  if (own?.expires_at == null || (expires_at !== null && expires_at <= own.expires_at)) return
  return yield* invalid(
    "outlives_its_maker",
    "expires_at",
    `The key that makes this one expires at ${own.expires_at}. Send an expires_at that is not later`
  )
})

const hasWorkspace = Effect.fnUntraced(function* (account_id: string, id: string) {
  const found = yield* (yield* Workspaces).find(account_id, id)
  return Option.isSome(found) && found.value.id === id
})

/** Rule: access#restricted-keys. The last key without restrictions stays, because nobody could manage the account without it. */
export const deleteManagementKey = operation("deleteManagementKey")(function* (caller: Caller, hash: string) {
  const [key] = yield* (yield* ApiKeys).list(caller.account_id, { kind: "management", hashes: [hash] })
  if (key === undefined) return yield* notFound()
  const outcome = yield* revokeKey(key, false)
  if (outcome === "last") return yield* new Conflict({ reason: "last_management_key" })
  return outcome === "absent" ? yield* notFound() : { deleted: true as const }
})

/** The management keys of the account, expired and revoked ones too. Rule: access#restricted-keys. */
export const listManagementKeys = operation("listManagementKeys")(function* (
  caller: Caller,
  page: QueryOf<typeof declaration>
) {
  const { data, total_count } = yield* (yield* ApiKeys).listManagement(caller.account_id, page)
  return { data: data.map(printedManagementKey), total_count }
})

/**
 * Whether no other live management key of the account lasts as long as one of these, so that ending them would lock the account out
 * sooner. Restricted keys do not count: they cannot create others.
 */
export const areLastManagementKeys = (ending: ReadonlySet<string>, keys: readonly ApiKey[], now: string): boolean => {
  const managing = keys.filter((key) => isUnrestricted(key) && isLive(key, now))
  const isEnding = ({ hash }: ApiKey) => ending.has(hash)
  const lastEnd = Math.max(...managing.filter((key) => !isEnding(key)).map(endOf))
  return managing.some((key) => isEnding(key) && endOf(key) > lastEnd)
}

export const isLastManagementKey = ({ hash }: ApiKey, keys: readonly ApiKey[], now: string): boolean =>
  areLastManagementKeys(new Set([hash]), keys, now)

const isUnrestricted = ({ kind, restrictions }: ApiKey): boolean => kind === "management" && restrictions === null

const endOf = ({ expires_at }: ApiKey): number => (expires_at === null ? Infinity : Date.parse(expires_at))
