import type { CatalogModel, Endpoint, EndpointStatistics } from "@gatewarden/contract"

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
