import type { CatalogModel, Endpoint, EndpointStatistics, Model } from "@gatewarden/contract"
import { Clock } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../failure.ts"
import { operation } from "../tracing/operation.ts"
import { EndpointStatisticsReader } from "../usage/statistics/EndpointStatisticsReader.ts"
import { ModelCatalog } from "./ModelCatalog.ts"
import { findModel, recordedName, variantsOf } from "./resolveModelName.ts"

/** The name is a slug or canonical slug, with or without a variant (Rule: models#model-names). */
export const listEndpoints = operation("listEndpoints")(function* (
  { account_id }: Caller,
  author: string,
  slug: string
) {
  const name = `${author}/${slug}`
  const catalog = yield* ModelCatalog
  const entries = yield* catalog.named(account_id, [name])
  const model = findModel(name, entries)
  if (model === undefined) return yield* notFound()
  const statistics = yield* EndpointStatisticsReader
  const measured = yield* statistics.measure({
    account_id: model.own ? account_id : undefined,
    slug: recordedName(model).slug,
    variants: variantsOf(model, entries),
    endpoints: model.endpoints,
    now: yield* Clock.currentTimeMillis
  })
  return printed(model, measured)
})

const printed = (model: CatalogModel, measured: readonly EndpointStatistics[]): Model => ({
  id: model.id,
  name: model.name,
  created: model.created,
  description: model.description,
  architecture: model.architecture,
  endpoints: model.endpoints.map((endpoint, index) => printedEndpoint(model, endpoint, measured[index] ?? unmeasured))
})

const unmeasured: EndpointStatistics = {
  latency_last_30m: null,
  throughput_last_30m: null,
  uptime_last_5m: null,
  uptime_last_30m: null,
  uptime_last_1d: null
}

/**
 * The response form of an endpoint, without fields that only routing needs. Absent tool choice is derived from whether the endpoint
 * accepts tools
 * (Rule: requests#additional-fields).
 */
const printedEndpoint = (
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
