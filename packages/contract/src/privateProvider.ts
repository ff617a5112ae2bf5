/** Private providers: inference providers of one account, beside those of the catalog (Rule: models#private-providers). */
import * as z from "zod"
import { json, operation, optionalJson } from "./operation.ts"
import { createdAt, dataOf, entriesOf, httpUrl, text } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  display_name: "Name of the provider for people.",
  headquarters: "Country of the headquarters, by ISO 3166-1 alpha-2. `null`: not declared.",
  datacenters: "Countries of the data centres, by ISO 3166-1 alpha-2.",
  privacy_policy_url: "URL of the privacy policy. `null`: not declared.",
  name: "Name of the provider: 2 to 64 letters, digits, spaces, dots, underscores or hyphens. It cannot change.",
  slug: "Slug of the provider: its name in lower case, with each run of other characters as a hyphen."
} as const

/** An account has at most so many. */
export const privateProvidersPerAccount = 100

const dataPolicy = {
  training: z.boolean().describe("Whether the provider trains on prompts."),
  retains_prompts: z.boolean().describe("Whether the provider retains prompts or completions."),
  prompt_retention_days: z
    .int()
    .min(0)
    .max(100_000)
    .nullable()
    .describe("Days for which prompts or completions are retained. `null`: they are not retained.")
}

export const PrivateProviderDataPolicy = z
  .object(dataPolicy)
  .describe(
    "Your own declaration of how the provider handles data. It applies to your own traffic, and is not verified."
  )
  .meta({ id: "PrivateProviderDataPolicy" })
export type PrivateProviderDataPolicy = z.output<typeof PrivateProviderDataPolicy>

const country = z.string().regex(/^[A-Z]{2}$/, "Expected two capital letters of ISO 3166-1")

/** Of a deployment. The core checks what else it must be. */
export const deploymentUrl = text(1, 2_048).describe(
  "https URL of an OpenAI-compatible API, without a user, a query or a fragment: https://inference.example.com/v1."
)

const fields = {
  display_name: text(1, 256).describe(about.display_name),
  base_url: deploymentUrl,
  data_policy: PrivateProviderDataPolicy,
  headquarters: country.nullish().describe(about.headquarters),
  datacenters: z.array(country).max(250).optional().describe(about.datacenters),
  privacy_policy_url: httpUrl.nullish().describe(about.privacy_policy_url)
}

export const PrivateProvider = z
  .object({
    name: z.string().describe(about.name),
    slug: z.string().describe(about.slug),
    display_name: z.string().describe(about.display_name),
    base_url: z.string().describe("https URL of the provider's OpenAI-compatible API."),
    data_policy: z.object(dataPolicy).describe("Your declaration of how the provider handles data."),
    headquarters: z.string().nullable().describe(about.headquarters),
    datacenters: z.array(z.string()).describe(about.datacenters),
    privacy_policy_url: z.string().nullable().describe(about.privacy_policy_url),
    created_at: createdAt
  })
  .meta({ id: "PrivateProvider", description: "An inference provider that only its account sees." })
export type PrivateProvider = z.output<typeof PrivateProvider>

export const CreatePrivateProvider = z
  .object({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9 ._-]{1,63}$/,
        "Expected 2 to 64 letters, digits, spaces, dots, underscores or hyphens"
      )
      .describe(about.name),
    ...fields
  })
  .meta({ id: "CreatePrivateProvider", description: "A new private provider." })
export type CreatePrivateProvider = z.output<typeof CreatePrivateProvider>

export const UpdatePrivateProvider = z
  .object({
    ...fields,
    display_name: fields.display_name.optional().describe(about.display_name),
    base_url: fields.base_url.optional(),
    data_policy: z
      .object(dataPolicy)
      .partial()
      .optional()
      .describe("Fields of your declaration to change. Absent ones stay.")
  })
  .meta({ id: "UpdatePrivateProvider", description: "Changes of a private provider. Absent fields stay." })
export type UpdatePrivateProvider = z.output<typeof UpdatePrivateProvider>

const example: PrivateProvider = {
  name: "Acme Inference",
  slug: "acme-inference",
  display_name: "Acme Inference",
  base_url: "https://inference.example.com/v1",
  data_policy: { training: false, retains_prompts: false, prompt_retention_days: null },
  headquarters: null,
  datacenters: ["US"],
  privacy_policy_url: null,
  created_at: "2026-03-04T12:00:00.000Z"
}

const tag = "Models"
const path = "/private-providers"
const params = z.object({ slug: z.string().describe(about.slug) })

export const createPrivateProvider = operation({
  id: "createPrivateProvider",
  method: "POST",
  path,
  tag,
  changes: { noun: "private_provider", action: "create" },
  summary: "Create a private provider",
  description:
    "A provider that this account alone sees. Its `slug` is the `provider_slug` of private endpoints and the `provider` of BYOK credentials.",
  access: "managementKey",
  sendsCredentials: true,
  body: json(CreatePrivateProvider),
  success: { schema: dataOf(PrivateProvider), creates: true },
  errors: [400, 401, 403, 409, 500],
  example: {
    body: {
      name: example.name,
      display_name: example.display_name,
      base_url: example.base_url,
      data_policy: example.data_policy,
      datacenters: example.datacenters
    },
    response: { data: example }
  }
})

export const listPrivateProviders = operation({
  id: "listPrivateProviders",
  method: "GET",
  path,
  tag,
  changes: "nothing",
  summary: "List the private providers",
  access: "managementKey",
  success: { schema: z.object({ data: entriesOf(PrivateProvider) }), long: true },
  errors: [401, 403, 500],
  example: { response: { data: [example] } }
})

export const getPrivateProvider = operation({
  id: "getPrivateProvider",
  method: "GET",
  path: `${path}/:slug`,
  tag,
  changes: "nothing",
  summary: "Read a private provider",
  access: "managementKey",
  params,
  success: { schema: dataOf(PrivateProvider) },
  errors: [401, 403, 404, 500],
  example: { params: { slug: example.slug }, response: { data: example } }
})

export const updatePrivateProvider = operation({
  id: "updatePrivateProvider",
  method: "PATCH",
  path: `${path}/:slug`,
  tag,
  changes: { noun: "private_provider", action: "update" },
  summary: "Change a private provider",
  description: "Fields that are absent stay. Name and slug cannot change.",
  access: "managementKey",
  sendsCredentials: true,
  params,
  body: optionalJson(UpdatePrivateProvider),
  success: { schema: dataOf(PrivateProvider) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { slug: example.slug },
    body: { display_name: "Acme" },
    response: { data: { ...example, display_name: "Acme" } }
  }
})

export const deletePrivateProvider = operation({
  id: "deletePrivateProvider",
  method: "DELETE",
  path: `${path}/:slug`,
  tag,
  changes: { noun: "private_provider", action: "delete" },
  summary: "Delete a private provider",
  description: "409 while a private endpoint runs under it.",
  access: "managementKey",
  params,
  success: {
    schema: dataOf(z.object({ slug: z.string().describe(about.slug) }).describe("The deleted private provider."))
  },
  errors: [401, 403, 404, 409, 500],
  example: { params: { slug: example.slug }, response: { data: { slug: example.slug } } }
})
