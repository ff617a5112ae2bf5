/** Models that do not exist, at providers that do: what the acts choose from. */
import { completionPrice } from "./prices.ts"

const endpoint = (provider: string, fields: object = {}) => ({
  name: provider,
  provider_name: provider,
  provider_slug: provider,
  tag: provider,
  context_length: 100_000,
  pricing: { prompt: "0", completion: completionPrice },
  zero_data_retention: true,
  ...fields
})

const model = (slug: string, endpoints: readonly object[]) => ({
  id: `acme/${slug}`,
  name: slug,
  created: 0,
  architecture: { input_modalities: ["text"], output_modalities: ["text"] },
  endpoints
})

/** Providers of `acme/large` that keep what they are sent. */
export const retaining: readonly string[] = ["together", "deepinfra", "novita"]

export const largeProviders: readonly string[] = [
  "openai",
  "anthropic",
  "azure",
  "amazon-bedrock",
  "google-vertex",
  "groq",
  "mistral",
  ...retaining
]

export const demoCatalog = {
  models: [
    // Two cents at most for a hundred tokens.
    model("small", [endpoint("openai")]),
    model(
      "large",
      largeProviders.map((provider) =>
        endpoint(provider, {
          zero_data_retention: !retaining.includes(provider),
          trains_on_data: provider === "novita",
          data_regions: provider === "mistral" ? ["global", "europe"] : ["global"]
        })
      )
    )
  ]
}
