/**
 * Decrypts the provider key of a candidate, in the process that got the admission, while the admission is live. Never over HTTP.
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
  // The credential was disabled or deleted after the admission.
  const credential = sealed.find(({ id, disabled }) => id === byok_id && !disabled)
  if (credential === undefined) return yield* new NotAdmitted()
  return yield* Effect.orDie((yield* Vault).open(credential.sealed_key, placeOfKey(account_id, credential)))
})
