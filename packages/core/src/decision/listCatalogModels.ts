import type { ByokCredential, ModelQuery, Region } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { keyList } from "../model/CatalogAnswers.ts"
import { type ModelListQuery, listModels, searchOf } from "../model/operations.ts"
import { pageOfModels, selectModels } from "../model/pageOfModels.ts"
import { ZdrGroups } from "../policy/Candidate.ts"
import { type CompiledSource, DecisionCache, compiledSource } from "../policy/DecisionCache.ts"
import { permittedCandidates } from "../policy/decide.ts"
import { type CandidateSources, orderCandidates } from "../policy/orderCandidates.ts"
import { OrganizationSettings } from "../ports/workspaces.ts"
import { operation } from "../tracing/operation.ts"
import { inSlices } from "../value/inSlices.ts"
import { credentialsOf } from "./credentials.ts"

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
 * The models that a key may use: those for which a decision would find a permitted candidate.
 *
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

/**
 * What `GET /models` lists: all models that the account sees, or those that the calling key may use, if the account has set so. A feed of
 * models (`use_rss`) is of all models.
 *
 * Rule: access#organization-settings, models#model-lists.
 */
export const listCatalogModels = Effect.fnUntraced(function* (caller: Caller, query: ModelQuery, region: Region) {
  const { account_id } = caller
  const settings = yield* (yield* DecisionCache).settings.get(
    account_id,
    Effect.flatMap(OrganizationSettings, (port) => port.of(account_id)),
    account_id
  )
  return yield* settings.is_filtered_model_catalog_enabled && !query.use_rss
    ? listUserModels(caller, query, region)
    : listModels(caller, query)
})
