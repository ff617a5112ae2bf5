import type { CatalogModel, Issue, PutCatalog } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { inSlices } from "../value/inSlices.ts"
import { BadRequest, invalid } from "../value/failure.ts"
import { timestamp } from "../value/calendar.ts"
import { operation } from "../tracing/operation.ts"
import { ModelCatalog } from "../ports/models.ts"
import { claimsOf, endpointsOfOwnModel, isTaken, longestOwnModel, ownModelLimits } from "../catalog/ownModels.ts"
import { type NamedModel, modelsNamed } from "../catalog/modelNames.ts"

const countsOf = ({ models }: PutCatalog) => ({
  models: models.length,
  endpoints: models.reduce((sum, { endpoints }) => sum + endpoints.length, 0)
})

/** Writes the models and their endpoints for the whole installation, all or nothing (Rule: models#catalog). */
export const importCatalog = operation("putCatalog")(function* (catalog: PutCatalog) {
  yield* (yield* ModelCatalog).upsert(catalog.models, yield* timestamp)
  return countsOf(catalog)
})

const tooManyModels = () =>
  invalid(
    "quota_exceeded",
    "models",
    `An account has at most ${ownModelLimits.models} models of its own, with ${ownModelLimits.endpoints} endpoints, of about 4 MiB as JSON together`
  )

/**
 * An issue for each model with a name of the installation's catalog. In steps; each model is compared only with entries of the same names.
 */
function* takenModels(models: readonly CatalogModel[], installed: readonly NamedModel[]): Generator<void, Issue[]> {
  const near = modelsNamed(installed)
  const issues: Issue[] = []
  for (const [index, model] of models.entries()) {
    yield
    if (isTaken(model, near(claimsOf(model))))
      issues.push({
        path: `models.${index}.id`,
        code: "model_taken",
        message: "The installation's catalog has a model of this id or canonical slug"
      })
  }
  return issues
}

/** An issue for each model that is too long, or has too many endpoints. In steps. */
function* longModels(models: readonly CatalogModel[]): Generator<void, Issue[]> {
  const issues: Issue[] = []
  for (const [index, model] of models.entries()) {
    yield
    if (model.endpoints.length > endpointsOfOwnModel)
      issues.push({
        path: `models.${index}.endpoints`,
        code: "quota_exceeded",
        message: `Expected at most ${endpointsOfOwnModel} endpoints of an own model`
      })
    else if (JSON.stringify(model).length > longestOwnModel)
      issues.push({
        path: `models.${index}`,
        code: "quota_exceeded",
        message: `Expected at most ${longestOwnModel} characters as JSON`
      })
  }
  return issues
}

/**
 * An issue for each model with an endpoint whose tag is not its provider's: policies judge the provider, and a data plane may find its
 * upstream by the tag.
 */
const foreignTags = (models: readonly CatalogModel[]): Issue[] =>
  models.flatMap(({ endpoints }, index) => {
    const at = endpoints.findIndex(
      ({ tag, provider_slug }) => tag !== provider_slug && !tag.startsWith(`${provider_slug}/`)
    )
    const message = "The tag of an own model's endpoint is its provider_slug, or begins with it and a slash"
    return at === -1 ? [] : [{ path: `models.${index}.endpoints.${at}.tag`, code: "invalid_request", message }]
  })

/**
 * Writes models of the account's own, all or nothing; 400 if the installation's catalog has a name of one, if one is too long, or if a tag is
 * not its provider's
 * (Rule: models#own-models).
 */
const importOwnModels = operation("putOwnModels")(function* (account_id: string, catalog: PutCatalog) {
  const { models } = catalog
  const port = yield* ModelCatalog
  if (models.length > ownModelLimits.models) return yield* tooManyModels()
  const foreign = foreignTags(models)
  if (foreign.length > 0) return yield* new BadRequest({ reason: "invalid_request", issues: foreign })
  const long = yield* inSlices(longModels(models))
  if (long.length > 0) return yield* new BadRequest({ reason: "quota_exceeded", issues: long })
  const installed = yield* port.named(null, models.flatMap(claimsOf))
  const issues = yield* inSlices(takenModels(models, installed))
  if (issues.length > 0) return yield* new BadRequest({ reason: "model_taken", issues })
  if (yield* port.upsertOwn(account_id, models, ownModelLimits)) return countsOf(catalog)
  return yield* tooManyModels()
})

/** The catalog of the installation, or models of the account. Who may write which is checked before (`enforceOperator`). */
export const putCatalog = Effect.fnUntraced(function* (
  caller: Caller,
  account: "own" | undefined,
  catalog: PutCatalog
) {
  return yield* account === undefined ? importCatalog(catalog) : importOwnModels(caller.account_id, catalog)
})
