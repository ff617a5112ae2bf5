import {
  type CatalogModel,
  Endpoint,
  type EndpointStatistics,
  type ImageEndpoint,
  type ImageModelEndpoints,
  type ImagePrice,
  type Model,
  type Pricing
} from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { findModel } from "../catalog/modelNames.ts"
import { ModelCatalog, readModel } from "../ports/models.ts"
import { operation } from "../tracing/operation.ts"
import { notFound } from "../value/failure.ts"
import { catalogAnswer, inCatalogSlot } from "./CatalogAnswers.ts"
import { families, measureEndpoints, measuredAtOnce, unmeasured } from "./measureModels.ts"
import { parametersOf } from "./modelSorts.ts"

/**
 * The response form of an endpoint, without fields that only routing needs. Absent tool choice is derived from whether the endpoint
 * accepts tools
 * (Rule: requests#additional-fields).
 */
export const printedEndpoint = (
  model: CatalogModel,
  endpoint: CatalogModel["endpoints"][number],
  measured: EndpointStatistics
): Endpoint => {
  const {
    provider_slug: _,
    data_regions: __,
    zero_data_retention: ___,
    trains_on_data: ____,
    publishes_prompts: _____,
    server_tool_prices: ______,
    provider_info: _______,
    supports_tool_choice,
    ...shown
  } = endpoint
  const tools = endpoint.supported_parameters.includes("tools")
  return {
    ...shown,
    model_id: model.canonical_slug,
    supports_tool_choice: supports_tool_choice ?? { auto: tools, function: tools, none: tools, required: tools },
    ...measured
  }
}

/** The name is a slug or canonical slug, with or without a variant (Rule: models#model-names). A model may have a thousand endpoints. */
export const listEndpoints = operation("listEndpoints")(function* (
  { account_id }: Caller,
  author: string,
  slug: string
) {
  return yield* inCatalogSlot(account_id, endpointsOf(account_id, `${author}/${slug}`))
})

const endpointsOf = Effect.fnUntraced(function* (account_id: string, name: string) {
  const catalog = yield* ModelCatalog
  const entries = yield* catalog.named(account_id, [name])
  const meant = findModel(name, entries)
  const [model] = meant === undefined ? [] : yield* catalog.read(account_id, [meant.id])
  if (model === undefined) return yield* notFound()
  return printed(model, yield* measureEndpoints(account_id, model, entries))
})

const printed = (model: CatalogModel, measured: readonly EndpointStatistics[]): Model => ({
  id: model.id,
  name: model.name,
  created: model.created,
  description: model.description,
  architecture: model.architecture,
  endpoints: model.endpoints.map((endpoint, index) => printedEndpoint(model, endpoint, measured[index] ?? unmeasured))
})

type Endpoints = CatalogModel["endpoints"]

/** What at least one of the endpoints takes. */
export const capabilitiesOf = (
  endpoints: Endpoints
): Pick<ImageEndpoint, "supported_parameters" | "supports_streaming"> => {
  const parameters = parametersOf(endpoints)
  return {
    supported_parameters: Object.fromEntries(
      Array.from(parameters, (parameter) => [parameter, { type: "boolean" as const }])
    ),
    supports_streaming: parameters.has("stream")
  }
}

/** The prices of the catalog that concern images, with what each is for. */
const priced: readonly (readonly [keyof Pricing, ImagePrice["billable"], ImagePrice["unit"]])[] = [
  ["request", "output_image", "request"],
  ["image_output", "output_image", "token"],
  ["image", "input_image", "image"],
  ["image_token", "input_image", "token"],
  ["prompt", "input_text", "token"]
]

const linesOf = (pricing: Pricing): ImagePrice[] =>
  priced.flatMap(([name, billable, unit]) => {
    const cost_usd = Number(pricing[name])
    return cost_usd > 0 ? [{ billable, unit, cost_usd }] : []
  })

/** Rule: models#lists-by-kind. */
export const imageEndpoint = (endpoint: Endpoints[number]): ImageEndpoint => ({
  provider_name: endpoint.provider_name,
  provider_slug: endpoint.provider_slug,
  provider_tag: endpoint.tag,
  allowed_passthrough_parameters: [],
  ...capabilitiesOf([endpoint]),
  pricing: linesOf(endpoint.pricing)
})

/** The endpoints of a model that gives images, by any of its names (Rule: models#model-names, models#lists-by-kind). */
export const listImageModelEndpoints = operation("listImageModelEndpoints")(function* (
  { account_id }: Caller,
  author: string,
  slug: string
) {
  const name = `${author}/${slug}`
  const model = yield* inCatalogSlot(account_id, readModel(account_id, name))
  if (model === undefined || !model.architecture.output_modalities.includes("image")) return yield* notFound()
  return { id: model.id, endpoints: model.endpoints.map(imageEndpoint) } satisfies ImageModelEndpoints
})

/** The endpoints that keep no data, of all models that the account sees. */
const zdrEndpoints = Effect.fnUntraced(function* (account_id: string) {
  const visible = yield* (yield* ModelCatalog).visible(account_id)
  const familyOf = families(visible)
  const ofModels = yield* Effect.forEach(
    visible,
    (model) => {
      const endpoints = model.endpoints.filter(({ zero_data_retention }) => zero_data_retention)
      if (endpoints.length === 0) return Effect.succeed([])
      return Effect.map(measureEndpoints(account_id, model, familyOf(model), endpoints), (measured) =>
        // In the order of the schema, as the entity tag stands on it.
        endpoints.map((endpoint, index) =>
          Endpoint.parse(printedEndpoint(model, endpoint, measured[index] ?? unmeasured))
        )
      )
    },
    { concurrency: measuredAtOnce }
  )
  return ofModels.flat()
})

/**
 * Rule: models#endpoint-statistics, guardrails#zero-data-retention.
 *
 * @param form the wire profile, and how its clients read an endpoint
 */
export const listZdrEndpoints = operation("listZdrEndpoints")(function* (
  { account_id }: Caller,
  form: { readonly name: string; readonly of: (endpoint: Endpoint) => Endpoint }
) {
  return yield* catalogAnswer(
    account_id,
    `zdr ${form.name}`,
    Effect.map(zdrEndpoints(account_id), (endpoints) => ({ data: endpoints.map(form.of) }))
  )
})
