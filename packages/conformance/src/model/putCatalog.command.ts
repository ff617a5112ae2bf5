import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { command } from "../modelBased/Command.ts"
import { endpointTags, modelNames, providers } from "../admission/traffic.ts"

const prices = fc.record({ prompt: fc.constantFrom("0", "0.000003"), completion: fc.constantFrom("0.000015", "0") })

const endpoints = members(
  {
    name: fc.constantFrom("One", "Two"),
    model_name: fc.constantFrom("Named", null),
    provider_name: providers,
    provider_slug: providers,
    tag: endpointTags,
    context_length: fc.constantFrom(0, 200_000, Number.MAX_SAFE_INTEGER),
    max_completion_tokens: fc.constantFrom(null, 32_000),
    pricing: prices,
    quantization: fc.constantFrom(null, "fp8", ""),
    status: fc.constantFrom(0, -5, 2 ** 31 - 1),
    supported_parameters: fc.subarray(["tools", "temperature"]),
    data_regions: fc.subarray(["global", "europe", "us"], { minLength: 1 }),
    zero_data_retention: fc.boolean(),
    trains_on_data: fc.boolean()
  },
  ["name", "provider_name", "provider_slug", "tag", "context_length", "pricing"]
)

const models = members(
  {
    id: modelNames,
    name: fc.constantFrom("Model", "🙂"),
    created: fc.constantFrom(0, 1_767_225_600),
    description: fc.constantFrom("", "text"),
    architecture: fc.record({
      input_modalities: fc.subarray(["text", "image"]),
      output_modalities: fc.subarray(["text", "image"])
    }),
    canonical_slug: fc.oneof(modelNames, fc.constantFrom(null, "acme/sonnet-2026-01-01")),
    public: fc.boolean(),
    endpoints: fc.array(endpoints, { maxLength: 3 })
  },
  ["id", "name", "created", "architecture", "endpoints"]
)

export const putCatalog = command("putCatalog", {
  weight: 3,
  body: fc.record({ models: fc.uniqueArray(models, { maxLength: 3, selector: ({ id }) => id }) })
})
