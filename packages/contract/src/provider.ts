/** The providers of the catalog's endpoints (Rule: models#providers). */
import * as z from "zod"
import { operation } from "./operation.ts"

export const Provider = z
  .object({
    name: z.string(),
    slug: z.string(),
    privacy_policy_url: z.string().nullable(),
    terms_of_service_url: z.string().optional(),
    status_page_url: z.string().optional(),
    /** ISO 3166-1 alpha-2. */
    headquarters: z.string().optional(),
    datacenters: z.array(z.string()).optional()
  })
  .meta({ id: "Provider" })
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
  success: { schema: z.object({ data: z.array(Provider) }), etag: true },
  errors: [401, 403, 500],
  example: { response: { data: [{ name: "Acme", slug: "acme", privacy_policy_url: null }] } }
})
