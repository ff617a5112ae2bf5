/**
 * BYOK credentials: provider keys of customers, stored write-only and scoped to keys, models or users.
 *
 * Rule: byok#keys, byok#allow-lists, byok#exclusive-credentials, byok#declared-region.
 */
import * as z from "zod"
import {
  createdAt,
  dataOf,
  Deleted,
  documentedAs,
  inWorkspace,
  keyHash,
  listOf,
  ofWorkspace,
  page,
  Region,
  text,
  uuid,
  workspaceId
} from "./primitives.ts"
import { json, operation, optionalJson } from "./operation.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the BYOK credential.",
  provider: "Slug of the provider that the credential is for.",
  name: "Name of the credential. `null`: none.",
  disabled: "Whether the credential is disabled.",
  is_fallback: "Whether the credential is used after shared capacity. Otherwise it is used before.",
  is_required: "Whether the credential takes the place of shared capacity for the models that it covers.",
  is_byok_only:
    "Whether the credential takes the place of shared capacity for the whole provider. Not together with `is_fallback`.",
  declared_zdr: "Whether the provider retains no data of the owner's account. `null`: the catalog decides.",
  allowed_api_key_hashes: "Hashes of API keys that may use the credential, 1 to 100. `null`: all keys.",
  allowed_models: "Models that the credential may be used for. `null`: all models. `[]`: none.",
  allowed_user_ids: "Users that may use the credential. `null`: all users. `[]`: none."
} as const

/** The slugs of the providers that a BYOK credential can be for. A host can extend the table. Rule: byok#providers. */
export const byokProviders = [
  "ai21",
  "aion-labs",
  "akashml",
  "alibaba",
  "amazon-bedrock",
  "amazon-bedrock/claude-on-aws",
  "amazon-nova",
  "ambient",
  "anthropic",
  "anthropic/2",
  "arcee-ai",
  "assemblyai",
  "atlas-cloud",
  "avian",
  "azure",
  "baidu",
  "baseten",
  "black-forest-labs",
  "byteplus",
  "cerebras",
  "chutes",
  "cirrascale",
  "clarifai",
  "claude-on-aws",
  "cloudflare",
  "cohere",
  "coreweave",
  "cosine",
  "crusoe",
  "darkbloom",
  "databricks",
  "decart",
  "deepgram",
  "deepinfra",
  "deepseek",
  "dekallm",
  "digitalocean",
  "featherless",
  "fireworks",
  "fish-audio",
  "friendli",
  "gmicloud",
  "google-ai-studio",
  "google-vertex",
  "groq",
  "heygen",
  "inception",
  "inceptron",
  "inferact-vllm",
  "inference-net",
  "infermatic",
  "inflection",
  "io-net",
  "ionstream",
  "krea",
  "liquid",
  "makora",
  "mancer",
  "mara",
  "meta",
  "minimax",
  "mistral",
  "modal",
  "modelrun",
  "modular",
  "moonshotai",
  "morph",
  "ncompass",
  "near-ai",
  "nebius",
  "nex-agi",
  "nextbit",
  "novita",
  "nvidia",
  "ollama",
  "open-inference",
  "openai",
  "parasail",
  "perceptron",
  "perplexity",
  "phala",
  "poolside",
  "primeintellect",
  "quiver",
  "recraft",
  "reka",
  "relace",
  "runway",
  "sail-research",
  "sakana",
  "sakana-ai",
  "sambanova",
  "seed",
  "siliconflow",
  "sourceful",
  "stepfun",
  "streamlake",
  "switchpoint",
  "tencent",
  "tenstorrent",
  "thinkingmachines",
  "together",
  "typesafe",
  "unbiased",
  "upstage",
  "venice",
  "voyageai",
  "wafer",
  "wandb",
  "wandb-legacy",
  "xai",
  "xiaomi",
  "z-ai"
] as const
export type ByokProvider = (typeof byokProviders)[number]

/** Any slug; the core checks it against the installation's table. */
const provider = z.string().meta({ [documentedAs]: { type: "string", enum: byokProviders } })

/**
 * The one message for every unusable hash, so that a caller cannot find out which keys of other accounts exist (Rule: byok#allow-lists).
 */
export const unusableKeyHashes = "Expected at least one hash, each of a live key of this account"

/** Names in the order sent; `null` restricts nothing, an empty list allows nobody (Rule: byok#allow-lists). */
const names = z.array(z.string()).nullable()

export const ByokCredential = z
  .object({
    id: uuid.describe(about.id),
    workspace_id: workspaceId,
    provider: z.string().describe(about.provider),
    name: z.string().nullable().describe(about.name),
    label: z.string().describe("Masked rendering of the key, to recognize it."),
    disabled: z.boolean().describe(about.disabled),
    is_fallback: z.boolean().describe(about.is_fallback),
    is_required: z.boolean().describe(about.is_required),
    is_byok_only: z.boolean().describe(about.is_byok_only),
    declared_region: Region.nullable().describe(
      "Region in which you attest that the provider's account behind the credential processes requests. `null`, `global`: the regions of the endpoint in the catalog apply."
    ),
    declared_zdr: z.boolean().nullable().describe(about.declared_zdr),
    sort_order: z
      .int()
      .describe(
        "Position among the credentials of the workspace, the provider and the group (fallback or not), from 0."
      ),
    allowed_api_key_hashes: z.array(keyHash).nullable().describe(about.allowed_api_key_hashes),
    allowed_models: names.describe(about.allowed_models),
    allowed_user_ids: names.describe(about.allowed_user_ids),
    created_at: createdAt
  })
  .meta({ id: "ByokCredential", description: "A stored credential for a provider. The key itself is never returned." })
export type ByokCredential = z.output<typeof ByokCredential>

const flag = z.boolean().nullish()
/** The longest are accounts of services and lists of deployments, as JSON. An account may have thousands of credentials. */
const upstreamKey = text(1, 65_536).meta({ writeOnly: true })

const writable = {
  name: text(0, 255).nullish().describe(about.name),
  disabled: flag.describe(about.disabled),
  is_fallback: flag.describe(about.is_fallback),
  is_required: flag.describe(about.is_required),
  is_byok_only: flag.describe(about.is_byok_only),
  declared_region: Region.describe(
    "Region in which you attest that the provider's account behind the credential processes requests. `europe` and `us`: requests that came in through that region may use the credential. For `openai` and `fireworks` it is the region in the key, otherwise only `azure` takes `europe` and `us`."
  ).nullish(),
  declared_zdr: flag.describe(about.declared_zdr),
  allowed_api_key_hashes: z
    .array(keyHash)
    .max(100)
    .superRefine((hashes, context) => {
      if (hashes.length === 0)
        context.addIssue({
          code: "custom",
          params: { code: "unknown_api_key_hash", reason: "unknown_api_key_hash" },
          message: unusableKeyHashes
        })
    })
    .meta({ [documentedAs]: { minItems: 1 } })
    .nullish()
    .describe(about.allowed_api_key_hashes),
  allowed_models: names.unwrap().max(100).nullish().describe(about.allowed_models),
  allowed_user_ids: names.unwrap().max(100).nullish().describe(about.allowed_user_ids)
}

type Sharing = { is_byok_only?: boolean | null | undefined; is_fallback?: boolean | null | undefined }

/** A provider without shared capacity has nothing to fall back from (Rule: byok#exclusive-credentials). */
const onlyOrFallback = <S extends z.ZodType<Sharing>>(schema: S) =>
  schema.superRefine((value, context) => {
    if (value.is_byok_only && value.is_fallback)
      context.addIssue({
        code: "custom",
        path: ["is_byok_only"],
        params: { code: "byok_only_fallback", reason: "byok_only_fallback" },
        message: "is_byok_only and is_fallback cannot both be true"
      })
  })

export const CreateByokCredential = onlyOrFallback(
  z.object({
    key: upstreamKey.describe(
      "The credential for the provider: an API key, or a JSON text such as a service account's. It is never returned."
    ),
    provider: provider.describe(about.provider),
    ...writable,
    workspace_id: inWorkspace
  })
).meta({ id: "CreateByokCredential", description: "A new BYOK credential." })
export type CreateByokCredential = z.output<typeof CreateByokCredential>

export const UpdateByokCredential = onlyOrFallback(
  z.object({
    ...writable,
    key: upstreamKey
      .optional()
      .describe("New credential for the provider, in place of the stored one. It is never returned.")
  })
).meta({
  id: "UpdateByokCredential",
  description: "Changes of a BYOK credential. Absent fields stay."
})
export type UpdateByokCredential = z.output<typeof UpdateByokCredential>

const example: ByokCredential = {
  id: "3f0a7c52-6f7e-4d57-8d0f-9b1f6f2f4c10",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  provider: "openai",
  name: "Production",
  label: "sk-...wxyz",
  disabled: false,
  is_fallback: false,
  is_required: false,
  is_byok_only: false,
  declared_region: null,
  declared_zdr: null,
  sort_order: 0,
  allowed_api_key_hashes: null,
  allowed_models: ["openai/gpt-5"],
  allowed_user_ids: null,
  created_at: "2026-01-05T09:30:00.000Z"
}

export const createByokCredential = operation({
  id: "createByokCredential",
  method: "POST",
  path: "/byok",
  tag: "BYOK",
  changes: { noun: "byok_credential", action: "create" },
  summary: "Store a provider key as a BYOK credential",
  description:
    "The key is encrypted, write-only and never returned; `label` is its masked rendering. Credentials of a provider are tried by `sort_order`, the fallbacks after the others.",
  access: "managementKey",
  workspaceOf: "named",
  body: json(CreateByokCredential),
  success: { schema: dataOf(ByokCredential), creates: true },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      key: "sk-0123456789abcdefghijklmnopqrstuvwxyz",
      provider: "openai",
      name: "Production",
      allowed_models: ["openai/gpt-5"]
    },
    response: { data: example }
  }
})

const byokParams = z.object({ id: uuid.describe(about.id) })

export const updateByokCredential = operation({
  id: "updateByokCredential",
  method: "PATCH",
  path: "/byok/:id",
  tag: "BYOK",
  changes: { noun: "byok_credential", action: "update" },
  summary: "Update a BYOK credential",
  description:
    "Absent fields stay, `null` clears, lists are replaced. `key` rotates the key in place and renews `label`; provider and workspace do not change.",
  access: "managementKey",
  workspaceOf: "byok_credential",
  params: byokParams,
  body: optionalJson(UpdateByokCredential),
  success: { schema: dataOf(ByokCredential), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: { disabled: true, allowed_models: null },
    response: { data: { ...example, disabled: true, allowed_models: null } }
  }
})

export const listByokCredentials = operation({
  id: "listByokCredentials",
  method: "GET",
  path: "/byok",
  tag: "BYOK",
  changes: "nothing",
  summary: "List the BYOK credentials of a workspace",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({
    ...page,
    workspace_id: ofWorkspace,
    provider: provider.optional().describe("Slug of a provider. Only its credentials are listed.")
  }),
  success: { schema: listOf(ByokCredential), long: true },
  errors: [400, 401, 403, 500],
  example: { query: { provider: "openai" }, response: { data: [example], total_count: 1 } }
})

export const getByokCredential = operation({
  id: "getByokCredential",
  method: "GET",
  path: "/byok/:id",
  tag: "BYOK",
  changes: "nothing",
  summary: "Get a BYOK credential",
  access: "managementKey",
  workspaceOf: "byok_credential",
  params: byokParams,
  success: { schema: dataOf(ByokCredential), long: "entity" },
  errors: [401, 403, 404, 500],
  example: { params: { id: example.id }, response: { data: example } }
})

export const deleteByokCredential = operation({
  id: "deleteByokCredential",
  method: "DELETE",
  path: "/byok/:id",
  tag: "BYOK",
  changes: { noun: "byok_credential", action: "delete" },
  summary: "Delete a BYOK credential",
  description:
    "The encrypted key is deleted with it, and a data plane cannot open it any more, not even for an admission that is in flight. Delete the key at the provider, too.",
  access: "managementKey",
  workspaceOf: "byok_credential",
  params: byokParams,
  success: { schema: Deleted },
  errors: [401, 403, 404, 500],
  example: { params: { id: example.id }, response: { deleted: true } }
})
