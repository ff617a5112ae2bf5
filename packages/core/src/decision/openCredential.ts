/**
 * The upstream key of a candidate, for the process that was granted the admission and for as long as it lasts. Never over HTTP.
 */
import { Clock, Data, Effect } from "effect"
import { ByokCredentials } from "../byok/ByokCredentials.ts"
import { placeOfKey } from "../byok/sealKey.ts"
import { operation } from "../tracing/operation.ts"
import { Vault } from "../vault/Vault.ts"
import { LiveAdmissions } from "../ledger/LiveAdmissions.ts"

/** No live admission of this process has this credential among its candidates. */
export class NotAdmitted extends Data.TaggedError("NotAdmitted")<{}> {}

export const openCredential = operation("openCredential")(function* (admission_id: string, byok_id: string) {
  const admission = (yield* LiveAdmissions).find(admission_id, yield* Clock.currentTimeMillis)
  const provider = admission?.credentials.get(byok_id)
  if (admission === undefined || provider === undefined) return yield* new NotAdmitted()
  const { account_id, workspace_id } = admission
  const sealed = yield* (yield* ByokCredentials).sealed(account_id, workspace_id, provider)
  // Disabled or deleted since it was admitted: no longer.
  const credential = sealed.find(({ id, disabled }) => id === byok_id && !disabled)
  if (credential === undefined) return yield* new NotAdmitted()
  return yield* Effect.orDie((yield* Vault).open(credential.sealed_key, placeOfKey(account_id, credential)))
})
