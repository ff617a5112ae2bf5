import type { FileProvider } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { ByokCredentials, placeOfKey } from "../ports/byok.ts"
import { localRegion } from "../byok/declaredRegion.ts"
import { sentKey } from "../byok/keyMaterial.ts"
import { selectCredentials } from "../byok/selectCredentials.ts"
import { NotFound } from "../value/failure.ts"
import { Vault } from "../vault/Vault.ts"
import type { ProviderAccess } from "./ProviderFiles.ts"

/**
 * The key with which a caller uses a provider's file API: the first usable credential of its workspace. A credential that is restricted to
 * models is not usable, because a file belongs to no model, nor is one of an account in a region, whose files lie at another address. 404
 * `no_byok_credential` without one
 * (Rule: files#provider-storage).
 */
export const accessProvider = Effect.fnUntraced(function* (
  caller: Caller,
  workspace_id: string,
  provider: FileProvider
) {
  const sealed = yield* (yield* ByokCredentials).sealed(caller.account_id, workspace_id, provider)
  const usable = sealed.filter(({ declared_region }) => localRegion(declared_region) === undefined)
  const [first] = selectCredentials(usable, { api_key_hash: caller.key_hash, user_id: caller.user_id, models: [] })
  if (first === undefined) return yield* new NotFound({ reason: "no_byok_credential" })
  // A key that the keyring cannot decrypt is a fault of the installation, not of the request.
  const key = yield* Effect.orDie((yield* Vault).open(first.sealed_key, placeOfKey(caller.account_id, first)))
  return { provider, key: sentKey(provider, key) } satisfies ProviderAccess
})
