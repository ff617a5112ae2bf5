/** What lists of models measure: speed of endpoints, and how much is used of a model. */
import type { EndpointStatistics } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import { EndpointStatisticsReader, RankingsReader, type TokenTotal } from "../ports/analytics.ts"
import { type CatalogAnswers, keptMeasures, keptTotals, measuredInTurn } from "./CatalogAnswers.ts"
import type { ModelMeasures } from "./modelSorts.ts"
import type { VisibleModel, VisibleName } from "../catalog/ownModels.ts"
import { hasVariant, recordedName, variantsOf } from "../catalog/modelNames.ts"
import { dayMillis } from "../value/calendar.ts"

export const unmeasured: EndpointStatistics = {
  latency_last_30m: null,
  throughput_last_30m: null,
  uptime_last_5m: null,
  uptime_last_30m: null,
  uptime_last_1d: null
}

/**
 * The statistics of endpoints of a model, in their order (Rule: models#endpoint-statistics). `family`: entries that the account sees, with
 * all of the model's slug.
 */
export const measureEndpoints = Effect.fnUntraced(function* (
  account_id: string,
  model: VisibleModel,
  family: Iterable<VisibleName>,
  endpoints: VisibleModel["endpoints"] = model.endpoints
) {
  const entries = [...family]
  const measure = (yield* EndpointStatisticsReader).measure({
    account_id: model.own ? account_id : undefined,
    slug: recordedName(model).slug,
    variants: variantsOf(model, entries),
    endpoints,
    now: yield* Clock.currentTimeMillis
  })
  return yield* model.own || entries.some(({ own }) => own) ? measuredInTurn(account_id, measure) : measure
})

/** The entries of a list by the slug under which their usage is recorded. */
export const families = (models: Iterable<VisibleModel>): ((model: VisibleModel) => readonly VisibleModel[]) => {
  const bySlug = new Map<string, VisibleModel[]>()
  for (const model of models) {
    const { slug } = recordedName(model)
    const others = bySlug.get(slug)
    if (others === undefined) bySlug.set(slug, [model])
    else others.push(model)
  }
  return (model) => bySlug.get(recordedName(model).slug) ?? []
}

/** Statements at once: a list of hundreds of models asks for each of them. */
export const measuredAtOnce = 8

const best = (figures: readonly (number | undefined)[], choose: (...known: readonly number[]) => number) => {
  const known = figures.filter((figure) => figure !== undefined)
  return known.length === 0 ? undefined : choose(...known)
}

const speedOf = Effect.fnUntraced(function* (
  account_id: string,
  model: VisibleModel,
  family: readonly VisibleModel[]
): Effect.fn.Return<ModelMeasures, never, CatalogAnswers | EndpointStatisticsReader> {
  // Accounts share what is measured, and none sees the private endpoints of another.
  const shared = model.endpoints.filter(({ upstream }) => upstream === undefined)
  const statistics = yield* measureEndpoints(account_id, model, family, shared)
  return {
    latency: best(
      statistics.map(({ latency_last_30m }) => latency_last_30m?.p50),
      Math.min
    ),
    throughput: best(
      statistics.map(({ throughput_last_30m }) => throughput_last_30m?.p50),
      Math.max
    )
  }
})

/**
 * The speed of each model, that of its best endpoint, up to a minute old. `visible`: all that the account sees. Whatever lists are asked for, and by
 * which account, a model of the installation is measured once; an account's own models may change which of its usage counts.
 */
export const speedsOf = Effect.fnUntraced(function* (
  account_id: string,
  models: readonly VisibleModel[],
  visible: readonly VisibleModel[]
) {
  const familyOf = families(visible)
  const measures = yield* Effect.forEach(
    models,
    (model) => {
      const family = familyOf(model)
      const owner = family.some(({ own }) => own) ? account_id : undefined
      return Effect.map(
        keptMeasures(owner, model.id, speedOf(account_id, model, family)),
        (measured): readonly [string, ModelMeasures] => [model.id, measured]
      )
    },
    { concurrency: measuredAtOnce }
  )
  return new Map(measures)
})

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/**
 * The tokens of each public model of the installation in today and the six days before, in UTC. As in the rankings, what accounts report of
 * themselves does not count (Rule: usage#public-statistics).
 */
export const tokensOf = Effect.fnUntraced(function* (
  models: readonly VisibleModel[],
  visible: readonly VisibleModel[]
) {
  const now = yield* Clock.currentTimeMillis
  const days = { first: dayOf(now - 6 * dayMillis), last: dayOf(now) }
  const rankings = yield* RankingsReader
  const totals = yield* keptTotals(`${days.first} ${days.last}`, rankings.totals(days))
  const bySlug = new Map<string, TokenTotal[]>()
  for (const total of totals) {
    const others = bySlug.get(total.slug)
    if (others === undefined) bySlug.set(total.slug, [total])
    else others.push(total)
  }
  const familyOf = families(visible)
  return new Map(
    models.map((model): readonly [string, ModelMeasures] => {
      const recorded = model.own || !model.public ? [] : (bySlug.get(recordedName(model).slug) ?? [])
      if (recorded.length === 0) return [model.id, {}]
      const variants = variantsOf(model, familyOf(model))
      const own = recorded.filter(({ variant }) => hasVariant(variants, variant))
      return [model.id, own.length === 0 ? {} : { tokens: own.reduce((sum, { tokens }) => sum + tokens, 0n) }]
    })
  )
})
