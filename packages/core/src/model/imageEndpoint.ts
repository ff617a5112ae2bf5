import type { CatalogModel, ImageEndpoint, ImagePrice, Pricing } from "@gatewarden/contract"
import { parametersOf } from "./listedModel.ts"

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
