import type { CreateManagementKey } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { invalid } from "../value/failure.ts"
import type { Caller } from "../access/Caller.ts"
import { refuseDeprovisioned } from "../access/isDeprovisioned.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { operation } from "../tracing/operation.ts"
import { unknownWorkspace } from "../access/resolveWorkspace.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { ApiKeys } from "../ports/keys.ts"
import { newApiKey } from "./newApiKey.ts"
import { printedManagementKey } from "./printedManagementKey.ts"
import { readExpiry } from "./readExpiry.ts"

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
  yield* requireRoom("keys_per_account", caller)
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
