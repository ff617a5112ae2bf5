/**
 * Federation policies: which tokens of which issuer a workload may exchange for a short-lived key, and what that key may do.
 *
 * Rule: authorization#federation-policies.
 */
import * as z from "zod"
import { json, operation, optionalJson } from "./operation.ts"
import {
  createdAt,
  dataOf,
  Deleted,
  inWorkspace,
  listOf,
  ofWorkspace,
  page,
  text,
  updatedOrNever,
  usd,
  userId,
  uuid,
  workspaceId
} from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the federation policy.",
  claims: "Further claims that a token must have. `null`: none.",
  disabled: "Whether the policy is off. A disabled policy gives no keys. Default: `false`."
} as const

/** A key that a workload gets lives at most this long. */
export const maxLifetimeSeconds = 900

/** A workspace has at most so many. */
export const federationPoliciesPerWorkspace = 100

const conditions = 20

const ClaimCondition = z
  .object({
    claim: text(1, 128).describe("Name of a claim at the first level of the token."),
    pattern: text(1, 512).describe(
      "Pattern that the claim must match. `*` stands for any text. If the claim is a list, one entry must match."
    )
  })
  .meta({ id: "ClaimCondition", description: "A claim that a token must have." })
export type ClaimCondition = z.output<typeof ClaimCondition>

/** Without the rules of issuer and key set, which the core checks. */
const issuerUrl = text(1, 512)

export const FederationPolicy = z
  .object({
    id: uuid.describe(about.id),
    workspace_id: workspaceId,
    name: z.string().describe("Name of the policy, and of the keys that it gives."),
    issuer: z.string().describe("The issuer's URL, exactly as its tokens name it in `iss`."),
    audience: z.string().describe("Value that the `aud` of a token must contain."),
    jwks_uri: z
      .string()
      .nullable()
      .describe("Address of the issuer's JWK set. `null`: the issuer's discovery document names it."),
    subject: z.string().describe("Pattern that the `sub` of a token must match. `*` stands for any text."),
    claims: z.array(ClaimCondition).nullable().describe(about.claims),
    lifetime_seconds: z.int().describe("Maximum lifetime in seconds of a key that the policy gives, 60 to 900."),
    limit: z.number().nullable().describe("Spending limit in USD of each key that the policy gives. `null`: no limit."),
    user_id: z.string().nullable().describe("Id of the user that the keys belong to. `null`: none."),
    allow_reuse: z.boolean().describe("Whether one token may be exchanged several times while it is valid."),
    disabled: z.boolean().describe("Whether the policy is off. A disabled policy gives no keys."),
    created_at: createdAt,
    updated_at: updatedOrNever
  })
  .meta({ id: "FederationPolicy", description: "Rule that says which tokens of an issuer can be exchanged for a key." })
export type FederationPolicy = z.output<typeof FederationPolicy>

const fields = {
  name: text(1, 200).describe("Name of the policy, and of the keys that it gives."),
  issuer: issuerUrl.describe(
    "The issuer's URL, exactly as its tokens name it in `iss`: https, without query and fragment."
  ),
  audience: text(1, 512).describe(
    "Value that the `aud` of a token must contain. Choose one that the issuer uses for Gatewarden alone."
  ),
  jwks_uri: issuerUrl
    .describe("Address of the issuer's JWK set. Default: `jwks_uri` of its `/.well-known/openid-configuration`.")
    .nullish(),
  subject: text(1, 512).describe(
    "Pattern that the `sub` of a token must match. `*` stands for any text. A subject of `*` alone needs at least one claim."
  ),
  claims: z.array(ClaimCondition).min(1).max(conditions).nullish().describe(about.claims),
  lifetime_seconds: z
    .int()
    .min(60)
    .max(maxLifetimeSeconds)
    .describe("Maximum lifetime of a key in seconds, 60 to 900. It never outlives its token."),
  limit: usd
    .describe("Spending limit of each key in USD. For a limit that keys share, set `user_id` or a workspace budget.")
    .nullish(),
  user_id: userId
    .describe(
      "Id of the user that the keys belong to. The user's guardrail and its budget apply to all of them together."
    )
    .nullish(),
  allow_reuse: z.boolean().describe("Whether one token may be exchanged several times while it is valid."),
  disabled: z.boolean().describe(about.disabled)
}

export const CreateFederationPolicy = z
  .object({
    ...fields,
    lifetime_seconds: fields.lifetime_seconds
      .optional()
      .describe(
        "Maximum lifetime in seconds of a key that the policy gives, 60 to 900. It never outlives its token. Default: 900."
      ),
    allow_reuse: fields.allow_reuse
      .optional()
      .describe("Whether one token may be exchanged several times while it is valid. Default: `false`."),
    disabled: fields.disabled.optional().describe(about.disabled),
    workspace_id: inWorkspace
  })
  .meta({ id: "CreateFederationPolicy", description: "A new federation policy." })
export type CreateFederationPolicy = z.output<typeof CreateFederationPolicy>

export const UpdateFederationPolicy = z
  .object({
    ...fields,
    name: fields.name.optional(),
    issuer: fields.issuer.optional(),
    audience: fields.audience.optional(),
    subject: fields.subject.optional(),
    lifetime_seconds: fields.lifetime_seconds.optional(),
    allow_reuse: fields.allow_reuse.nullish(),
    disabled: fields.disabled.nullish()
  })
  .meta({ id: "UpdateFederationPolicy", description: "Changes of a federation policy. Absent fields stay." })
export type UpdateFederationPolicy = z.output<typeof UpdateFederationPolicy>

const example: FederationPolicy = {
  id: "6d1f0a3c-8a0e-4f2b-9c55-7d3b1e9a2f40",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  name: "Nightly evaluation",
  issuer: "https://token.actions.githubusercontent.com",
  audience: "gatewarden",
  jwks_uri: null,
  subject: "repo:acme/evals:ref:refs/heads/main",
  claims: [{ claim: "repository_owner_id", pattern: "4711" }],
  lifetime_seconds: 900,
  limit: 5,
  user_id: null,
  allow_reuse: false,
  disabled: false,
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: null
}

const tag = "Authorization"
const params = z.object({ id: uuid.describe(about.id) })
const path = "/gateway/federation-policies"

export const createFederationPolicy = operation({
  id: "createFederationPolicy",
  method: "POST",
  path,
  tag,
  changes: { noun: "federation_policy", action: "create" },
  summary: "Trust tokens of an issuer",
  description:
    "A workload whose token meets the policy exchanges it at `POST /oauth/token` for a key of the workspace, which expires by itself.",
  access: "managementKey",
  mintsKeys: true,
  body: json(CreateFederationPolicy),
  success: { schema: dataOf(FederationPolicy) },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      name: example.name,
      issuer: example.issuer,
      audience: example.audience,
      subject: example.subject,
      claims: [{ claim: "repository_owner_id", pattern: "4711" }],
      limit: 5
    },
    response: { data: example }
  }
})

export const listFederationPolicies = operation({
  id: "listFederationPolicies",
  method: "GET",
  path,
  tag,
  changes: "nothing",
  summary: "List federation policies of a workspace",
  access: "managementKey",
  query: z.object({ ...page, workspace_id: ofWorkspace }),
  success: { schema: listOf(FederationPolicy), long: true },
  errors: [400, 401, 403, 500],
  example: { response: { data: [example], total_count: 1 } }
})

export const getFederationPolicy = operation({
  id: "getFederationPolicy",
  method: "GET",
  path: `${path}/:id`,
  tag,
  changes: "nothing",
  summary: "Read a federation policy",
  access: "managementKey",
  params,
  success: { schema: dataOf(FederationPolicy), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: example.id }, response: { data: example } }
})

export const updateFederationPolicy = operation({
  id: "updateFederationPolicy",
  method: "PATCH",
  path: `${path}/:id`,
  tag,
  changes: { noun: "federation_policy", action: "update" },
  summary: "Change a federation policy",
  description: "Fields that are absent stay. Keys that were given before stay as they are until they expire.",
  access: "managementKey",
  mintsKeys: true,
  params,
  body: optionalJson(UpdateFederationPolicy),
  success: { schema: dataOf(FederationPolicy), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: { disabled: true },
    response: { data: { ...example, disabled: true, updated_at: "2026-01-06T10:00:00.000Z" } }
  }
})

export const deleteFederationPolicy = operation({
  id: "deleteFederationPolicy",
  method: "DELETE",
  path: `${path}/:id`,
  tag,
  changes: { noun: "federation_policy", action: "delete" },
  summary: "Delete a federation policy",
  description: "No token is exchanged under it any more. Keys that were given before stay valid until they expire.",
  access: "managementKey",
  params,
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: example.id }, response: { deleted: true } }
})
