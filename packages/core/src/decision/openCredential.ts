/**
 * Decrypts the provider key of a candidate, in the process that got the admission, while the admission is live. Never over HTTP.
 */
import { Clock, Data, Effect } from "effect"
import { ByokCredentials, placeOfKey } from "../ports/byok.ts"
import { localRegion } from "../byok/declaredRegion.ts"
import { sentKey } from "../byok/keyMaterial.ts"
import { operation } from "../tracing/operation.ts"
import { Vault } from "../vault/Vault.ts"
import { LiveAdmissions } from "../ledger/LiveAdmissions.ts"

/** No live admission of this process has this credential among its candidates. */
export class NotAdmitted extends Data.TaggedError("NotAdmitted")<{}> {}

export const openCredential = operation("openCredential")(function* (admission_id: string, byok_id: string) {
  const admission = (yield* LiveAdmissions).find(admission_id, yield* Clock.currentTimeMillis)
  const admitted = admission?.credentials.get(byok_id)
  if (admission === undefined || admitted === undefined) return yield* new NotAdmitted()
  const { account_id, workspace_id } = admission
  const { provider, declared_region } = admitted
  const sealed = yield* (yield* ByokCredentials).sealed(account_id, workspace_id, provider)
  const credential = sealed.find(
    ({ id, disabled, declared_region: region }) =>
      id === byok_id && !disabled && localRegion(region) === declared_region
  )
  // It was disabled or deleted after the admission, or its account lies elsewhere now.
  if (credential === undefined) return yield* new NotAdmitted()
  const key = yield* Effect.orDie((yield* Vault).open(credential.sealed_key, placeOfKey(account_id, credential)))
  return sentKey(provider, key)
})
