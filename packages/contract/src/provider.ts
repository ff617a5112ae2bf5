/** The providers of the catalog's endpoints (Rule: models#providers). */
import * as z from "zod"
import { operation } from "./operation.ts"
import { entriesOf } from "./primitives.ts"

export const Provider = z
  .object({
    name: z.string().describe("Name of the provider."),
    slug: z.string().describe("Slug of the provider, as guardrails and requests name it."),
    privacy_policy_url: z.string().nullable().describe("URL of the privacy policy. `null`: not known."),
    terms_of_service_url: z.string().optional().describe("URL of the terms of service. Absent: not known."),
    status_page_url: z.string().optional().describe("URL of the status page. Absent: not known."),
    headquarters: z
      .string()
      .optional()
      .describe("Country of the headquarters, by ISO 3166-1 alpha-2. Absent: not known."),
    datacenters: z
      .array(z.string())
      .optional()
      .describe("Countries of the data centres, by ISO 3166-1 alpha-2. Absent: not known.")
  })
  .meta({ id: "Provider", description: "A provider of endpoints in the catalog." })
export type Provider = z.output<typeof Provider>

export const listProviders = operation({
  id: "listProviders",
  method: "GET",
  path: "/providers",
  tag: "Models",
  changes: "nothing",
  summary: "List the providers",
  description:
    "The providers of all endpoints that the account sees, by slug. What the catalog does not tell of a provider is left out; `privacy_policy_url` is then `null`.",
  access: "anyKey",
  workspaceOf: "none",
  success: { schema: z.object({ data: entriesOf(Provider) }), etag: true },
  errors: [401, 403, 500],
  example: { response: { data: [{ name: "Acme", slug: "acme", privacy_policy_url: null }] } }
})
