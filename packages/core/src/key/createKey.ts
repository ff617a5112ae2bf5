import type { CreateKey } from "@gatewarden/contract"
import { Option, Redacted } from "effect"
import { refuseDeprovisioned } from "../access/isDeprovisioned.ts"
import { invalid } from "../value/failure.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { operation } from "../tracing/operation.ts"
import { noUsage } from "../ports/usage.ts"
import { usageOfKeys } from "./usageOfKeys.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { ApiKeys, checkKeyFormat } from "../ports/keys.ts"
import type { Caller } from "../access/Caller.ts"
import { isGuessable } from "./isGuessable.ts"
import { ExternalUsers } from "../ports/externalUsers.ts"
import { newExternalUser } from "../externalUser/newExternalUser.ts"
import { newApiKey } from "./newApiKey.ts"
import { printedKey } from "./printedKey.ts"
import { readExpiry } from "./readExpiry.ts"

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
  yield* requireRoom("keys_per_account", caller)
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
      name: fields.name,
      limit: fields.limit ?? null,
      limit_reset: fields.limit_reset ?? null,
      include_byok_in_limit: fields.include_byok_in_limit ?? false,
      expires_at
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
