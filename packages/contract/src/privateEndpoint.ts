/** Private endpoints: deployments of a model that one account alone sees and uses (Rule: models#private-endpoints). */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { price } from "./pricing.ts"
import { createdAt, dataOf, entriesOf, queryFlag, Region, text, uuid } from "./primitives.ts"
import { deploymentUrl } from "./privateProvider.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the private endpoint."
} as const

/** An account has at most so many. */
export const privateEndpointsPerAccount = 100

export const PrivateEndpointStatus = z.enum(["draft", "active", "disabled"])
export type PrivateEndpointStatus = z.output<typeof PrivateEndpointStatus>

export const PrivateEndpointPricing = z
  .object({
    prompt: price.describe("USD for a token of the prompt, as a decimal string."),
    completion: price.describe("USD for a token of the completion, as a decimal string.")
  })
  .meta({ id: "PrivateEndpointPricing", description: "Prices in USD for a token." })
export type PrivateEndpointPricing = z.output<typeof PrivateEndpointPricing>

const declared = {
  declared_region: Region.describe("Region in which you attest that the deployment processes data.").nullish(),
  declared_zdr: z
    .boolean()
    .describe("Whether you attest that the deployment retains no prompt and no completion.")
    .nullish()
}

const summary = {
  id: uuid.describe(about.id),
  model_permaslug: z.string().describe("Canonical slug of the model."),
  model_slug: z
    .string()
    .nullable()
    .describe("Slug of the model. `null`: the account does not see such a model any more."),
  model_name: z
    .string()
    .nullable()
    .describe("Name of the model. `null`: the account does not see such a model any more."),
  provider_name: z.string().describe("Name of the provider for people."),
  status: PrivateEndpointStatus.describe("State of the endpoint. Only `active` endpoints serve requests.")
}

const attested = {
  declared_region: Region.nullable().describe(
    "Region in which you attest that the deployment processes data. `null`: not declared."
  ),
  declared_zdr: z
    .boolean()
    .nullable()
    .describe("Whether you attest that the deployment retains no prompt and no completion. `null`: not declared.")
}

export const PrivateEndpointSummary = z
  .object({ ...summary, created_at: createdAt })
  .meta({ id: "PrivateEndpointSummary", description: "A private endpoint in a list." })
export type PrivateEndpointSummary = z.output<typeof PrivateEndpointSummary>

export const ManagedPrivateEndpoint = z
  .object({ ...summary, ...attested, created_at: createdAt })
  .meta({ id: "ManagedPrivateEndpoint", description: "A private endpoint with its state and what you attest." })
export type ManagedPrivateEndpoint = z.output<typeof ManagedPrivateEndpoint>

export const PrivateEndpoint = z
  .object({
    ...summary,
    ...attested,
    provider_slug: z.string().describe("Slug of the BYOK provider or of the private provider."),
    base_url: z
      .string()
      .nullable()
      .describe("Base URL of the deployment. `null`: the base URL of its private provider."),
    upstream_model_id: z.string().describe("Name of the model at the deployment."),
    pricing: PrivateEndpointPricing
  })
  .meta({ id: "PrivateEndpoint", description: "A deployment of a model that only its account sees and uses." })
export type PrivateEndpoint = z.output<typeof PrivateEndpoint>

const Validating = z.object({
  workspace_id: uuid.describe("Id of the workspace whose BYOK credential authenticates the test request.")
})

const upstream_model_id = text(1, 512).describe("Name of the model at the deployment.")

export const CreatePrivateEndpoint = z
  .object({
    model_permaslug: text(1, 512).describe("The canonical slug of a model that the account sees."),
    provider_slug: text(1, 256).describe("Slug of a BYOK provider, or of a private provider of the account."),
    upstream_model_id,
    base_url: deploymentUrl.optional(),
    ...declared,
    pricing: PrivateEndpointPricing.optional().describe(
      "Prices of the endpoint. Default: the prices of the model's first endpoint."
    ),
    activate: Validating.describe("Validates and activates the endpoint in the same request.").optional()
  })
  .meta({ id: "CreatePrivateEndpoint", description: "A new private endpoint." })
export type CreatePrivateEndpoint = z.output<typeof CreatePrivateEndpoint>

export const UpdatePrivateEndpoint = z
  .object({ upstream_model_id, base_url: deploymentUrl.optional(), ...declared })
  .meta({ id: "UpdatePrivateEndpoint", description: "Changes of a draft. Absent fields stay." })
export type UpdatePrivateEndpoint = z.output<typeof UpdatePrivateEndpoint>

/** Why a check failed. */
export const PrivateEndpointCheckReason = z.enum([
  "no_byok_key",
  "upstream_error",
  "invalid_response",
  "missing_usage",
  "model_mismatch"
])
export type PrivateEndpointCheckReason = z.output<typeof PrivateEndpointCheckReason>

export const PrivateEndpointValidation = z
  .object({
    passed: z.boolean().describe("Whether all checks passed."),
    checks: z
      .array(
        z.object({
          name: z
            .string()
            .describe("Name of the check: `credential`, `auth_ok`, `response_valid` or `usage_reported`."),
          passed: z.boolean().describe("Whether the check passed."),
          reason: PrivateEndpointCheckReason.optional().describe("Why the check failed. Absent: it passed."),
          actual_model: z.string().optional().describe("Model that the deployment says it is."),
          upstream_status: z.int().optional().describe("HTTP status of the deployment's answer, if it was an error.")
        })
      )
      .describe("Checks in the order in which they were made. The first that fails is the last.")
  })
  .meta({ id: "PrivateEndpointValidation", description: "Result of the checks of a private endpoint." })
export type PrivateEndpointValidation = z.output<typeof PrivateEndpointValidation>

const identity = {
  id: "5b1c4c4e-7d0a-4a8e-9f3a-2d6c1b0e8a11",
  model_permaslug: "acme/sonnet-2026-01-01",
  model_slug: "acme/sonnet",
  model_name: "Acme: Sonnet",
  provider_name: "azure",
  status: "draft" as const
}
const created_at = "2026-03-04T12:00:00.000Z"
const attestedExample = { declared_region: "us" as const, declared_zdr: true }
const pricing = { prompt: "0.0000025", completion: "0.00001" }
const base_url = "https://inference.example.com/v1"
const managedExample: ManagedPrivateEndpoint = { ...identity, ...attestedExample, created_at }
const example: PrivateEndpoint = {
  ...identity,
  ...attestedExample,
  provider_slug: "azure",
  base_url,
  upstream_model_id: "sonnet-prod",
  pricing
}

const tag = "Models"
const path = "/private-endpoints"
const params = z.object({ id: uuid.describe(about.id) })
const byId = { id: example.id }

export const createPrivateEndpoint = operation({
  id: "createPrivateEndpoint",
  method: "POST",
  path,
  tag,
  changes: { noun: "private_endpoint", action: "create" },
  summary: "Create a private endpoint",
  description:
    "A draft, which no request is sent to: validate it, then activate it. With `activate` one call does all three; where the validation fails, the answer is 409 and the draft stays. Such a call counts as a validation: 10 in any minute.",
  access: "managementKey",
  sendsCredentials: true,
  callsOut: true,
  body: json(CreatePrivateEndpoint),
  success: { schema: dataOf(ManagedPrivateEndpoint), creates: true },
  errors: [400, 401, 403, 404, 409, 429, 500],
  example: {
    body: {
      model_permaslug: example.model_permaslug,
      provider_slug: example.provider_slug,
      upstream_model_id: example.upstream_model_id,
      base_url,
      ...attestedExample,
      pricing
    },
    response: { data: managedExample }
  }
})

export const listPrivateEndpoints = operation({
  id: "listPrivateEndpoints",
  method: "GET",
  path,
  tag,
  changes: "nothing",
  summary: "List the private endpoints",
  access: "managementKey",
  success: { schema: z.object({ data: entriesOf(PrivateEndpointSummary) }), long: true },
  errors: [401, 403, 500],
  example: { response: { data: [{ ...identity, created_at }] } }
})

export const getPrivateEndpoint = operation({
  id: "getPrivateEndpoint",
  method: "GET",
  path: `${path}/:id`,
  tag,
  changes: "nothing",
  summary: "Read a private endpoint",
  access: "managementKey",
  params,
  success: { schema: dataOf(PrivateEndpoint) },
  errors: [401, 403, 404, 500],
  example: { params: byId, response: { data: example } }
})

export const updatePrivateEndpoint = operation({
  id: "updatePrivateEndpoint",
  method: "PATCH",
  path: `${path}/:id`,
  tag,
  changes: { noun: "private_endpoint", action: "update" },
  summary: "Change a draft of a private endpoint",
  description:
    "An absent `base_url` stays. What was attested stays while the deployment is the same, and is cleared with it. 409 for an endpoint that is no draft: delete it and create another one.",
  access: "managementKey",
  sendsCredentials: true,
  params,
  body: json(UpdatePrivateEndpoint),
  success: { schema: dataOf(PrivateEndpoint) },
  errors: [400, 401, 403, 404, 409, 500],
  example: {
    params: byId,
    body: { upstream_model_id: "sonnet-next", ...attestedExample },
    response: { data: { ...example, upstream_model_id: "sonnet-next" } }
  }
})

export const updatePrivateEndpointPricing = operation({
  id: "updatePrivateEndpointPricing",
  method: "PUT",
  path: `${path}/:id/pricing`,
  tag,
  changes: { noun: "private_endpoint", action: "update" },
  summary: "Set the prices of a private endpoint",
  access: "managementKey",
  params,
  body: json(z.object({ pricing: PrivateEndpointPricing })),
  success: { schema: dataOf(PrivateEndpoint) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: byId,
    body: { pricing: { prompt: "0.000001", completion: "0.000002" } },
    response: { data: { ...example, pricing: { prompt: "0.000001", completion: "0.000002" } } }
  }
})

export const validatePrivateEndpoint = operation({
  id: "validatePrivateEndpoint",
  method: "POST",
  path: `${path}/:id/validate`,
  tag,
  changes: { noun: "private_endpoint", action: "update" },
  summary: "Send a test request to a private endpoint",
  description:
    "One chat completion of a few tokens, with the workspace's first usable BYOK credential of the provider. A failed check is no error: `passed` is `false`.",
  access: "managementKey",
  sendsCredentials: true,
  callsOut: true,
  rateLimits: ["privateEndpointTests"],
  params,
  body: json(Validating),
  success: { schema: dataOf(PrivateEndpointValidation) },
  errors: [400, 401, 403, 404, 409, 429, 500],
  example: {
    params: byId,
    body: { workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11" },
    response: { data: { passed: true, checks: [{ name: "credential", passed: true }] } }
  }
})

export const activatePrivateEndpoint = operation({
  id: "activatePrivateEndpoint",
  method: "POST",
  path: `${path}/:id/activate`,
  tag,
  changes: { noun: "private_endpoint", action: "update" },
  summary: "Activate a private endpoint",
  description: "409 if its validation did not pass, was of another deployment, or if it was activated before.",
  access: "managementKey",
  sendsCredentials: true,
  params,
  success: { schema: dataOf(ManagedPrivateEndpoint) },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: byId, response: { data: { ...managedExample, status: "active" as const } } }
})

export const disablePrivateEndpoint = operation({
  id: "disablePrivateEndpoint",
  method: "POST",
  path: `${path}/:id/disable`,
  tag,
  changes: { noun: "private_endpoint", action: "update" },
  summary: "Disable a private endpoint",
  description:
    "No request is sent to it until it is enabled. 409 for a draft, but for one that was active until its private provider moved.",
  access: "managementKey",
  params,
  success: { schema: dataOf(ManagedPrivateEndpoint) },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: byId, response: { data: { ...managedExample, status: "disabled" as const } } }
})

export const enablePrivateEndpoint = operation({
  id: "enablePrivateEndpoint",
  method: "POST",
  path: `${path}/:id/enable`,
  tag,
  changes: { noun: "private_endpoint", action: "update" },
  summary: "Enable a private endpoint",
  description: "409 for a draft.",
  access: "managementKey",
  sendsCredentials: true,
  params,
  success: { schema: dataOf(ManagedPrivateEndpoint) },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: byId, response: { data: { ...managedExample, status: "active" as const } } }
})

export const deletePrivateEndpoint = operation({
  id: "deletePrivateEndpoint",
  method: "DELETE",
  path: `${path}/:id`,
  tag,
  changes: { noun: "private_endpoint", action: "delete" },
  summary: "Delete a private endpoint",
  access: "managementKey",
  params,
  query: z.object({
    draft_only: queryFlag.describe("`true`: an endpoint that is no draft returns 409.")
  }),
  success: { schema: dataOf(z.object({ id: uuid.describe(about.id) }).describe("The deleted private endpoint.")) },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: byId, response: { data: byId } }
})
