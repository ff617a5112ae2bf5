/** The models that a key may use: those for which a decision would find a permitted candidate. */
import type { ByokCredential, Region } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { keyList } from "../model/CatalogAnswers.ts"
import { listModels, type ModelListQuery, searchOf } from "../model/listModels.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { pageOfModels } from "../model/pageOfModels.ts"
import { selectModels } from "../model/selectModels.ts"
import { operation } from "../tracing/operation.ts"
import { inSlices } from "../value/inSlices.ts"
import { compiledSource } from "../policy/compiledSource.ts"
import { credentialsOf } from "./credentialsOf.ts"
import { permittedCandidates } from "../policy/decide.ts"
import type { CompiledSource } from "../policy/DecisionCache.ts"
import { type CandidateSources, orderCandidates } from "../policy/orderCandidates.ts"
import { ZdrGroups } from "../policy/zdrGroups.ts"

const none: readonly ByokCredential[] = []

/** The endpoints that the decision leaves of each model, by model; models without one are left out. In steps. */
function* permitted(
  { policy, key }: CompiledSource,
  sources: Omit<CandidateSources, "models">,
  ingress_region: Region,
  models: readonly VisibleModel[]
): Generator<void, ReadonlyMap<VisibleModel, VisibleModel["endpoints"]>> {
  const found = new Map<VisibleModel, VisibleModel["endpoints"]>()
  for (const model of models) {
    const candidates = permittedCandidates({
      policy,
      terms: { ingress_region, provider: {} },
      models: [model.id],
      is_listed: true,
      candidates: orderCandidates(
        { ...sources, models: [model] },
        { api_key_hash: key.hash, user_id: key.user_id },
        {}
      ),
      objections: []
    })
    const endpoints = new Set(candidates.map(({ endpoint }) => endpoint))
    if (endpoints.size > 0)
      found.set(
        model,
        model.endpoints.filter((endpoint) => endpoints.has(endpoint))
      )
    yield
  }
  return found
}

/**
 * Rule: models#models-of-a-key. `region`: that of the request's ingress. Management keys and users whom the host authenticated send no model
 * requests: no policy applies to them, and they see all models.
 */
export const listUserModels = operation("listUserModels")(function* (
  caller: Caller,
  query: ModelListQuery,
  region: Region
) {
  const { account_id, key_hash } = caller
  const hasPolicy = caller.host !== true && caller.kind !== "management"
  const source = hasPolicy ? yield* compiledSource(account_id, key_hash) : Option.none()
  if (Option.isNone(source)) return yield* listModels(caller, query)
  const { limit, offset, ...filter } = query
  const { workspace_id } = source.value.key
  const credentials = workspace_id === null ? none : yield* credentialsOf(account_id, workspace_id)
  const applied = source.value
  const made = Effect.gen(function* () {
    const sources = { credentials, zdrGroups: yield* ZdrGroups }
    const models = yield* selectModels(account_id, filter)
    const endpoints = yield* inSlices(permitted(applied, sources, region, models))
    return pageOfModels(
      [...endpoints.keys()],
      { limit, offset },
      searchOf(query),
      (model) => endpoints.get(model) ?? []
    )
  })
  return yield* keyList(
    account_id,
    `${applied.key.hash} ${region} ${JSON.stringify(query)}`,
    [applied, credentials],
    made
  )
})
