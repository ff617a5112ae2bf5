/** Why a model cannot be served, in the words of the public API. Rule: admissions#availability. */
import * as z from "zod"
import { docUrl } from "./error.ts"

/** The codes of the public API; a denial has one of the first five, the others are of an upstream's answer. */
export const AvailabilityCode = z.enum([
  "model_not_found",
  "no_endpoints",
  "region_restricted",
  "privacy_restricted",
  "constraint_filtered",
  "wrong_endpoint",
  "model_deprecated",
  "model_unavailable_upstream",
  "capacity_exhausted",
  "temporarily_unavailable",
  "free_variant_ended"
])
export type AvailabilityCode = z.output<typeof AvailabilityCode>

export const Availability = z
  .object({
    code: AvailabilityCode.describe("Why no endpoint can serve the request."),
    retryable: z.boolean().describe("Whether the same request may succeed later."),
    requested_models: z.array(z.string()).describe("Models of the request, as it names them."),
    excluded_by: z
      .array(z.string())
      .optional()
      .describe(
        "Rules that removed endpoints: words of the public API, or fields of rules that the public API does not have."
      ),
    constraint: z
      .object({
        field: z.string().describe("First entry of `excluded_by`."),
        detail: z.string().describe("Fields of all rules that removed an endpoint.")
      })
      .optional()
      .describe("First rule of `excluded_by`, with `constraint_filtered` only."),
    docs_url: docUrl.describe("Address of a page on the reason: the `doc_url` of the error.")
  })
  .meta({ id: "Availability", description: "Why no endpoint can serve the request, in the form of the public API." })
export type Availability = z.output<typeof Availability>
