import {
  type CreateKey,
  type CurrentKey,
  type PutKeyRateLimits,
  type QueryOf,
  type UpdateKey,
  keysPerPage,
  type listKeys as declaration
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { deletedKey } from "../access/authenticate.ts"
import { hostKey } from "../access/callerOfHost.ts"
import { refuseDeprovisioned } from "../access/liveKeys.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { newExternalUser } from "../externalUser/operations.ts"
import { effectiveRegions } from "../guardrail/guardrail.ts"
import { noKeyBudgets, readKeyBudgets } from "../ledger/readKeyBudgets.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { ExternalUsers } from "../ports/externalUsers.ts"
import { Guardrails, defaultGuardrailId } from "../ports/guardrails.ts"
import { type ApiKey, ApiKeys } from "../ports/keys.ts"
import { PolicySources } from "../ports/policySources.ts"
import { noUsage } from "../ports/usage.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { operation } from "../tracing/operation.ts"
import { sentFields } from "../value/sentFields.ts"
import { formatInstant, timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import {
  createdKey,
  isGuessable,
  keyChange,
  keySpending,
  newApiKey,
  noKeyRateLimits,
  printedKey,
  readExpiry,
  requireKey,
  usageOfKeys
} from "./key.ts"
import { checkKeyFormat } from "../access/keyFormat.ts"

const givenPath = "external.api_key"

/**
 * Rule: access#managing-keys, access#key-format, access#keys-of-a-host, access#external-users. A key has one string and one hash: a host's own key becomes the key. It
 * is not returned: its label is, because the public client requires a text. The user who is named as creator is the user whose key it is.
 */
export const createKey = operation("createKey")(function* (caller: Caller, fields: CreateKey) {
  const expires_at = yield* readExpiry(fields.expires_at, "expires_at")
  const given = fields.external?.api_key == null ? undefined : Redacted.make(fields.external.api_key)
  if (given !== undefined && checkKeyFormat(Redacted.value(given)) === "bad_checksum")
    return yield* invalid("api_key_unusable", givenPath, "A key with this prefix needs a valid checksum")
  if (given !== undefined && isGuessable(Redacted.value(given)))
    return yield* invalid(
      "api_key_unusable",
      givenPath,
      "This key is too easy to guess: use at least 32 random characters"
    )
  const workspace_id = yield* resolveWorkspace(caller, fields.workspace_id, "workspace_id")
  yield* requireQuota("keys_per_account", caller)
  const user_id = fields.creator_user_id ?? caller.user_id
  yield* refuseDeprovisioned(caller.account_id, user_id, "creator_user_id")
  const external_user = fields.external?.user ?? null
  const isNew =
    external_user !== null && Option.isNone(yield* (yield* ExternalUsers).find(caller.account_id, external_user))
  const registration = isNew ? yield* newExternalUser(caller.account_id, external_user) : undefined
  const { key, record } = yield* newApiKey(
    {
      kind: "normal",
      account_id: caller.account_id,
      workspace_id,
      user_id,
      creator_user_id: user_id,
      external_user,
      expires_at,
      ...createdKey(fields)
    },
    given
  )
  // Usage may have been recorded under the hash of a key that its host issued long ago.
  const usage = given === undefined ? noUsage : (yield* usageOfKeys(caller.account_id, [record.hash]))(record.hash)
  if (yield* (yield* ApiKeys).insert(record, registration))
    return { data: printedKey(record, usage), key: given === undefined ? key : Redacted.make(record.label) }
  yield* refuseDeprovisioned(caller.account_id, user_id, "creator_user_id")
  const placed = yield* (yield* Workspaces).find(caller.account_id, workspace_id)
  if (Option.isNone(placed)) return yield* unknownWorkspace("workspace_id")
  return yield* invalid("api_key_unusable", givenPath, "This key cannot be used")
})

/** Applies at once on this process, within two seconds on every other. Rule: access#changes-take-effect. */
export const deleteKey = operation("deleteKey")(function* (caller: Caller, hash: string) {
  yield* requireKey(caller, hash)
  const removed = yield* (yield* ApiKeys).remove(caller.account_id, hash, yield* timestamp)
  return removed ? { deleted: true as const } : yield* notFound()
})

/**
 * Rule: access#current-key, access#budgets-of-a-key. What a key may read about itself. There is no quota of free models; those fields are -1, because the public
 * client expects integers.
 */
export const getCurrentKey = operation("getCurrentKey")(function* (caller: Caller) {
  const { key, guardrails, budgets } = caller.host ? yield* hostSource(caller) : yield* keySource(caller)
  const usage = (yield* usageOfKeys(key.account_id, [key.hash]))(key.hash)
  const management = key.kind === "management"
  return {
    label: key.label,
    workspace_id: key.workspace_id,
    organization_id: key.account_id,
    creator_user_id: key.creator_user_id,
    is_management_key: management,
    is_provisioning_key: management,
    is_free_tier: false,
    ...keySpending(key, usage),
    ...budgets,
    allowed_data_regions: effectiveRegions(guardrails),
    free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
    rate_limit: { requests: -1, interval: "10s", note: "Deprecated; there is no such limit." },
    expires_at: key.expires_at,
    restrictions: key.restrictions
  } satisfies CurrentKey
})

/** The key, what it may spend, and every guardrail that governs it: its workspace's, its user's and its own. */
const keySource = Effect.fnUntraced(function* (caller: Caller) {
  const found = yield* (yield* PolicySources).of(caller.account_id, caller.key_hash)
  if (Option.isNone(found)) return yield* deletedKey
  const { key, guardrails } = found.value
  return { key, guardrails: guardrails.map(({ guardrail }) => guardrail), budgets: yield* readKeyBudgets(found.value) }
})

/** A caller whom a host authenticated has no key, so no admission spends for it; the guardrail of the workspace applies. */
const hostSource = Effect.fnUntraced(function* (caller: Caller) {
  const { workspace_id } = caller
  if (workspace_id === null) return { key: hostKey(caller), guardrails: [], budgets: noKeyBudgets }
  const stored = yield* (yield* Guardrails).find(caller.account_id, defaultGuardrailId(workspace_id))
  return { key: hostKey(caller), guardrails: Option.toArray(stored), budgets: noKeyBudgets }
})

/** Rule: access#managing-keys. */
export const getKey = operation("getKey")(function* (caller: Caller, hash: string) {
  const key = yield* requireKey(caller, hash)
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  return printedKey(key, usage(hash))
})

/** Of an API key: management keys are not used for inference. */
export const getKeyRateLimits = operation("getKeyRateLimits")(function* (caller: Caller, hash: string) {
  const found = yield* (yield* PolicySources).of(caller.account_id, hash)
  if (Option.isNone(found) || found.value.key.kind !== "normal") return yield* notFound()
  return found.value.rate_limits ?? noKeyRateLimits
})

/** The keys of a workspace, expired ones too, with what they have spent. Rule: access#managing-keys. */
export const listKeys = operation("listKeys")(function* (
  caller: Caller,
  { workspace_id: named, include_disabled, offset }: QueryOf<typeof declaration>
) {
  const workspace_id = yield* resolveWorkspace(caller, named, "query.workspace_id")
  const filter = { kind: "normal", workspace_id, ...(include_disabled ? {} : { disabled: false }) } as const
  const keys = yield* (yield* ApiKeys).list(caller.account_id, filter, { limit: keysPerPage, offset })
  const usage = yield* usageOfKeys(
    caller.account_id,
    keys.map(({ hash }) => hash)
  )
  return { data: keys.map((key) => printedKey(key, usage(key.hash))) }
})

/** Absent limits stay, `null` clears. */
export const putKeyRateLimits = operation("putKeyRateLimits")(function* (
  caller: Caller,
  hash: string,
  fields: PutKeyRateLimits
) {
  const change = sentFields(fields, ["requests_per_minute", "tokens_per_minute", "parallel_requests"], [])
  const limits = yield* (yield* PolicySources).limitRates(caller.account_id, hash, change)
  return Option.isSome(limits) ? limits.value : yield* notFound()
})

/** Applies at once on this process, within two seconds on every other. Rule: access#changes-take-effect. */
export const updateKey = operation("updateKey")(function* (caller: Caller, hash: string, fields: UpdateKey) {
  const keys = yield* ApiKeys
  if (fields.disabled === false) yield* refuseOwner(caller.account_id, hash)
  // Read first, because nothing may fail after the change.
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  const updated = yield* keys.update(caller.account_id, hash, keyChange(fields), yield* timestamp)
  if (Option.isNone(updated)) {
    // The directory may have said meanwhile that the user may not act.
    if (fields.disabled === false) yield* refuseOwner(caller.account_id, hash)
    return yield* notFound()
  }
  return printedKey(updated.value, usage(hash))
})

const refuseOwner = Effect.fnUntraced(function* (account_id: string, hash: string) {
  const [key] = yield* (yield* ApiKeys).list(account_id, { hashes: [hash] })
  yield* refuseDeprovisioned(account_id, key?.user_id ?? null, "disabled")
})

/**
 * Replaces a management or gateway key with a new one; the old key stays valid for the overlap. Undefined when the key is gone.
 *
 * Rule: access#rotating-keys. An API key is rotated instead (`rotateKey`): its spending and assignments belong to its hash.
 * The new key ends when the old one would have.
 */
export const replaceKey = operation("replaceKey")(function* (old: ApiKey, overlapMillis: number) {
  const millis = yield* Clock.currentTimeMillis
  const { key, record } = yield* newApiKey({
    kind: old.kind,
    account_id: old.account_id,
    workspace_id: null,
    user_id: old.user_id,
    creator_user_id: old.creator_user_id,
    name: old.name,
    restrictions: old.restrictions,
    expires_at: old.expires_at
  })
  const retired = yield* (yield* ApiKeys).retire(old.account_id, old.hash, {
    now: formatInstant(millis),
    at: formatInstant(millis + overlapMillis),
    successor: record,
    force: false
  })
  if (retired === "deprovisioned") return yield* refuseDeprovisioned(old.account_id, old.user_id, "")
  return retired === "absent" ? undefined : { key, record }
})

/**
 * Ends a key: at once on this process, within two seconds on every other (Rule: access#changes-take-effect). `last`: the key was kept,
 * because nobody could manage the account without it; `force` revokes it anyway.
 */
export const revokeKey = operation("revokeKey")(function* (key: ApiKey, force: boolean) {
  const now = yield* timestamp
  const outcome = yield* (yield* ApiKeys).retire(key.account_id, key.hash, {
    now,
    at: now,
    successor: undefined,
    force
  })
  return outcome
})
