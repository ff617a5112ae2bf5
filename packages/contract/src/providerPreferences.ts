/** What a request asks of the providers that may serve it. Rule: admissions#preferences-of-a-request. */
import * as z from "zod"
import { text } from "./primitives.ts"
import { usdAmount } from "./usage.ts"

const SortWord = z.enum(["price", "throughput", "latency", "exacto"])

/** A bound on a measured median, or on several percentiles at once. */
const threshold = z.union([
  z.number().min(0),
  z.object({
    p50: z.number().min(0).nullish().describe("Bound on the median."),
    p75: z.number().min(0).nullish().describe("Bound on the 75th percentile."),
    p90: z.number().min(0).nullish().describe("Bound on the 90th percentile."),
    p99: z.number().min(0).nullish().describe("Bound on the 99th percentile.")
  })
])

export const ProviderPreferences = z
  .object({
    only: z.array(text(1, 256)).max(1000).nullish().describe("Only these providers, by slug, name or endpoint tag."),
    ignore: z
      .array(text(1, 256))
      .max(1000)
      .nullish()
      .describe("None of these providers, by slug, name or endpoint tag."),
    order: z
      .array(text(1, 256))
      .max(1000)
      .nullish()
      .describe("Providers to try first, in this order, by slug, name or endpoint tag."),
    allow_fallbacks: z.boolean().nullish().describe("`false` with `order`: only the endpoints that `order` names."),
    zdr: z.boolean().nullish().describe("`true`: only endpoints with zero data retention."),
    data_collection: z
      .enum(["allow", "deny"])
      .nullish()
      .describe("`deny`: only endpoints that neither train on nor publish the request."),
    quantizations: z.array(text(1, 64)).max(100).nullish().describe("Only endpoints with one of these quantizations."),
    sort: z
      .union([
        SortWord,
        z.object({
          by: SortWord.nullish().describe("Measure to sort by."),
          partition: z
            .enum(["model", "none"])
            .nullish()
            .describe(
              "`none` sorts the endpoints of all requested models together, `model` the endpoints of each model apart."
            )
        })
      ])
      .nullish()
      .describe(
        "The order of endpoints that `order` does not name. `price`: cheapest first. `latency`, `throughput`: by the median of the last 30 minutes, endpoints without measurements last. `exacto`: the catalog's order. `partition: \"none\"` sorts the endpoints of all requested models together. Default: the workspace's `default_provider_sort`, else the catalog's order."
      ),
    max_price: z
      .object({
        prompt: usdAmount.nullish().describe("USD per million tokens of the prompt."),
        completion: usdAmount.nullish().describe("USD per million tokens of the completion."),
        request: usdAmount.nullish().describe("USD for a request."),
        image: usdAmount.nullish().describe("USD for an image in the prompt."),
        audio: usdAmount.nullish().describe("USD for a token of audio in the prompt.")
      })
      .nullish()
      .describe(
        "Only endpoints that cost no more: USD per million tokens for `prompt` and `completion`, USD per unit for the others."
      ),
    require_parameters: z.boolean().nullish().describe("Only endpoints that support every parameter of the request."),
    enforce_distillable_text: z
      .boolean()
      .nullish()
      .describe("`true`: only models whose author allows training on their output, according to the catalog."),
    preferred_max_latency: threshold
      .nullish()
      .describe(
        "Seconds to the first token. Endpoints that were slower in the last 30 minutes, or were not measured, are tried last."
      ),
    preferred_min_throughput: threshold
      .nullish()
      .describe(
        "Completion tokens a second. Endpoints that were slower in the last 30 minutes, or were not measured, are tried last."
      )
  })
  .meta({
    id: "ProviderPreferences",
    description:
      "Routing preferences of the request. They narrow what policy allows, or order the result; they never allow more."
  })
export type ProviderPreferences = z.output<typeof ProviderPreferences>
