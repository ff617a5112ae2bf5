/** Private endpoints: deployments of a model that one account alone sees and uses (Rule: models#private-endpoints). */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { price } from "./model.ts"
import { dataOf, queryFlag, Region, text, timestamp, uuid } from "./primitives.ts"
import { deploymentUrl } from "./privateProvider.ts"

/** An account has at most so many. */
export const privateEndpointsPerAccount = 100

export const PrivateEndpointStatus = z.enum(["draft", "active", "disabled"])
export type PrivateEndpointStatus = z.output<typeof PrivateEndpointStatus>

/** USD per token. */
export const PrivateEndpointPricing = z
  .object({ prompt: price, completion: price })
  .meta({ id: "PrivateEndpointPricing" })
export type PrivateEndpointPricing = z.output<typeof PrivateEndpointPricing>

const declared = {
  declared_region: Region.describe("Where you attest that the deployment processes data.").nullish(),
  declared_zdr: z.boolean().describe("Whether you attest that it retains no prompt and no completion.").nullish()
}

const summary = {
  id: uuid,
  /** The canonical slug of the model. */
  model_permaslug: z.string(),
  /** `null` if the account sees no such model any more. */
  model_slug: z.string().nullable(),
  model_name: z.string().nullable(),
  provider_name: z.string(),
  /** Only `active` endpoints are used. */
  status: PrivateEndpointStatus
}

const attested = { declared_region: Region.nullable(), declared_zdr: z.boolean().nullable() }

export const PrivateEndpointSummary = z
  .object({ ...summary, created_at: timestamp })
  .meta({ id: "PrivateEndpointSummary" })
export type PrivateEndpointSummary = z.output<typeof PrivateEndpointSummary>

export const ManagedPrivateEndpoint = z
  .object({ ...summary, ...attested, created_at: timestamp })
  .meta({ id: "ManagedPrivateEndpoint" })
export type ManagedPrivateEndpoint = z.output<typeof ManagedPrivateEndpoint>

export const PrivateEndpoint = z
  .object({
    ...summary,
    ...attested,
    provider_slug: z.string(),
    /** `null`: that of its private provider. */
    base_url: z.string().nullable(),
    upstream_model_id: z.string(),
    pricing: PrivateEndpointPricing
  })
  .meta({ id: "PrivateEndpoint" })
export type PrivateEndpoint = z.output<typeof PrivateEndpoint>

const Validating = z.object({
  workspace_id: uuid.describe("The workspace whose BYOK credential the test request is sent with.")
})

const upstream_model_id = text(1, 512).describe("What the deployment calls the model.")

export const CreatePrivateEndpoint = z
  .object({
    model_permaslug: text(1, 512).describe("The canonical slug of a model that the account sees."),
    provider_slug: text(1, 256).describe("A BYOK provider, or a private provider of the account."),
    upstream_model_id,
    base_url: deploymentUrl.optional(),
    ...declared,
    pricing: PrivateEndpointPricing.optional(),
    activate: Validating.describe("Validates and activates in the same call.").optional()
  })
  .meta({ id: "CreatePrivateEndpoint" })
export type CreatePrivateEndpoint = z.output<typeof CreatePrivateEndpoint>

export const UpdatePrivateEndpoint = z
  .object({ upstream_model_id, base_url: deploymentUrl.optional(), ...declared })
  .meta({ id: "UpdatePrivateEndpoint" })
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
    passed: z.boolean(),
    checks: z.array(
      z.object({
        name: z.string(),
        passed: z.boolean(),
        reason: PrivateEndpointCheckReason.optional(),
        /** The model that the deployment says it is. */
        actual_model: z.string().optional(),
        /** Its HTTP status, if it answered an error. */
        upstream_status: z.int().optional()
      })
    )
  })
  .meta({ id: "PrivateEndpointValidation" })
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
const params = z.object({ id: uuid })
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
  success: { schema: z.object({ data: z.array(PrivateEndpointSummary) }) },
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
  description: "No request is sent to it until it is enabled. 409 for a draft.",
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
    /** `true`: 409 for an endpoint that was activated. */
    draft_only: queryFlag
  }),
  success: { schema: dataOf(z.object({ id: uuid })) },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: byId, response: { data: byId } }
})
