import { Clock, Data, Effect } from "effect"
import { localRegion, sentKey } from "../byok/byok.ts"
import { LiveAdmissions } from "../ledger/AdmittedSizes.ts"
import { DecisionCache } from "../policy/DecisionCache.ts"
import { ByokCredentials, contextOfKey } from "../ports/byok.ts"
import { operation } from "../tracing/operation.ts"
import { everyEntry } from "../value/Page.ts"
import { Vault } from "../vault/Vault.ts"

/** A workspace has a handful of credentials; more than this number are ignored. */
const maxCredentials = 10_000

/** The credentials of a workspace, through the cache. Callers that ask at once get one array, as printed answers stand on it. */
export const credentialsOf = Effect.fnUntraced(function* (account_id: string, workspace_id: string) {
  const { credentials } = yield* DecisionCache
  return yield* credentials.share(
    workspace_id,
    Effect.flatMap(ByokCredentials, (port) =>
      everyEntry((page) => port.list(account_id, { workspace_id }, page), maxCredentials)
    ),
    account_id
  )
})

/** No live admission of this process has this credential among its candidates. */
export class NotAdmitted extends Data.TaggedError("NotAdmitted")<{}> {}

/** Decrypts the provider key of a candidate, in the process that got the admission, while the admission is live. Never over HTTP. */
export const openCredential = operation("openCredential")(function* (admission_id: string, byok_id: string) {
  const admission = (yield* LiveAdmissions).find(admission_id, yield* Clock.currentTimeMillis)
  const admitted = admission?.credentials.get(byok_id)
  if (admission === undefined || admitted === undefined) return yield* new NotAdmitted()
  const { account_id, workspace_id } = admission
  const { provider, declared_region } = admitted
  const sealed = yield* (yield* ByokCredentials).sealed(account_id, workspace_id, provider, byok_id)
  const credential = sealed.find(
    ({ id, disabled, declared_region: region }) =>
      id === byok_id && !disabled && localRegion(region) === declared_region
  )
  // It was disabled or deleted after the admission, or its account lies elsewhere now.
  if (credential === undefined) return yield* new NotAdmitted()
  const key = yield* Effect.orDie((yield* Vault).open(credential.sealed_key, contextOfKey(account_id, credential)))
  return sentKey(provider, key)
})
