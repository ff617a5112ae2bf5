/**
 * The resources of the public Terraform provider: their attributes, and the calls that each step of a life makes.
 *
 * Source: github.com/OpenRouterTeam/terraform-provider-openrouter, `internal/provider` and `internal/sdk`, at the commit that each
 * resource names. A call counts only with the status that it names; 404 is also good for `read` and `destroy`.
 */

/** The state of the repository that the table was read from. */
export const provider = {
  repository: "OpenRouterTeam/terraform-provider-openrouter",
  source: "OpenRouterTeam/openrouter",
  version: "0.3.20",
  commit: "0036b3de42be104d5f4392b68c78004445771cae"
} as const

/** How the provider decodes a value. Another type of JSON ends the run, as does a word that is not in `oneOf`. */
export type Form = "text" | "number" | "flag" | "instant" | "texts" | "numbers" | "object" | "objects"

export interface Attribute {
  readonly form: Form
  readonly given: "required" | "optional" | "computed"
  /** The provider decodes `null`. Without it, `null` becomes an empty value, which differs from the plan. */
  readonly nullable?: true
  /** A change destroys the object and creates another one. */
  readonly replaces?: true
  readonly oneOf?: readonly string[]
  /** Its name in JSON. Default: the name of the attribute. */
  readonly field?: string
  /** Beside `data`, not in it. */
  readonly beside?: true
  /** The state keeps what was planned: no answer has it, or the provider does not decode it. */
  readonly unread?: true
  /** Only in the answer to the creation, and beside `data`. */
  readonly once?: true
  /** The server has no such field, so a plan that sets it always has a difference. */
  readonly lacking?: true
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** `{name}` is the value of an attribute. */
  readonly path: string
  readonly status: 200 | 201
  /** Attributes in the body; those that have no value are left out. */
  readonly sends?: readonly string[]
  /** Attributes in the body as a list of one, by the name of the list. */
  readonly sendsInList?: Readonly<Record<string, string>>
  /** Attributes in the query, if they have a value, by the name of the parameter. */
  readonly query?: Readonly<Record<string, string>>
  /** What is taken from the answer. Default: every attribute that it has. Or: attributes, each with its field of `data`. */
  readonly takes?: "nothing" | Readonly<Record<string, string>>
  /** The object is the item of a list, read in pages of 100, that has these attributes as these fields. */
  readonly finds?: Readonly<Record<string, string>>
  /** A count in the answer that must be 1. */
  readonly counts?: string
  /** 404 is an object that exists and was never written. */
  readonly absentIsUnwritten?: true
}

export interface ProviderResource {
  /** Its file in `internal/provider`, and the commit of the version that was read. */
  readonly file: string
  readonly commit: string
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly create: readonly Call[]
  readonly read: readonly Call[]
  /** None: every attribute replaces. */
  readonly update: readonly Call[]
  /** None: the provider only forgets the object. */
  readonly destroy: readonly Call[]
  /** Attributes that the id of an import consists of. None: it cannot be imported. */
  readonly importedBy: readonly string[]
}

const text = { form: "text" } as const
const number = { form: "number" } as const
const flag = { form: "flag" } as const
const texts = { form: "texts" } as const
const instant = { form: "instant" } as const
const required = { given: "required" } as const
const optional = { given: "optional" } as const
const computed = { given: "computed" } as const
const nullable = { nullable: true } as const
const replaces = { replaces: true } as const

const intervals = { oneOf: ["daily", "weekly", "monthly"] } as const
const roles = { oneOf: ["admin", "member"] } as const

const spending = Object.fromEntries(
  ["usage", "byok_usage"].flatMap((name) =>
    ["", "_daily", "_weekly", "_monthly"].map((window) => [`${name}${window}`, { ...number, ...computed }])
  )
)

const writtenOfKey = ["name", "disabled", "limit", "limit_reset", "include_byok_in_limit"]
const updateKey: Call = { method: "PATCH", path: "/keys/{hash}", status: 200, sends: writtenOfKey }

const byokFlags = ["disabled", "is_fallback", "is_required", "is_byok_only"]
const writtenOfByok = [
  ...byokFlags,
  "declared_region",
  "name",
  "declared_zdr",
  "allowed_api_key_hashes",
  "allowed_models",
  "allowed_user_ids"
]

const zdr = ["anthropic", "google", "openai", "other", "xai"].map((group) => `enforce_zdr_${group}`)

const guardrailAttributes: Readonly<Record<string, Attribute>> = {
  id: { ...text, ...computed },
  name: { ...text, ...required },
  workspace_id: { ...text, ...optional, ...replaces },
  description: { ...text, ...optional, ...nullable },
  allowed_data_regions: { ...texts, ...optional, ...nullable },
  allowed_models: { ...texts, ...optional, ...nullable },
  allowed_providers: { ...texts, ...optional, ...nullable },
  ignored_models: { ...texts, ...optional, ...nullable },
  ignored_providers: { ...texts, ...optional, ...nullable },
  content_filter_builtins: { form: "objects", ...optional, ...nullable },
  content_filters: { form: "objects", ...optional, ...nullable },
  enable_free_model_publication: { ...flag, ...optional },
  enable_free_model_training: { ...flag, ...optional },
  enable_paid_model_training: { ...flag, ...optional },
  enforce_zdr: { ...flag, ...optional, ...nullable },
  ...Object.fromEntries(zdr.map((name) => [name, { ...flag, ...optional, ...nullable }])),
  include_byok_in_budgets: { ...flag, ...optional },
  limit_usd: { ...number, ...optional, ...nullable },
  reset_interval: { ...text, ...optional, ...nullable, ...intervals },
  created_at: { ...instant, ...computed },
  updated_at: { ...instant, ...computed, ...nullable }
}

const writtenOfGuardrail = Object.entries(guardrailAttributes).flatMap(([name, { given, replaces: only }]) =>
  given === "computed" || only === true ? [] : [name]
)

const getWorkspace: Call = { method: "GET", path: "/workspaces/{workspace_id}", status: 200, takes: "nothing" }
const getAssigned: Call = { method: "GET", path: "/guardrails/{guardrail_id}", status: 200, takes: "nothing" }
const resolveDefault: Call = { ...getWorkspace, takes: { id: "default_guardrail_id" } }

const writtenOfWorkspace = [
  "name",
  "slug",
  "description",
  "default_text_model",
  "default_image_model",
  "default_provider_sort",
  "io_logging_api_key_ids",
  "io_logging_sampling_rate",
  "is_data_discount_logging_enabled",
  "is_observability_broadcast_enabled",
  "is_observability_io_logging_enabled"
]

const writtenOfDestination = [
  "name",
  "config",
  "enabled",
  "privacy_mode",
  "sampling_rate",
  "regions",
  "api_key_hashes",
  "filter_rules",
  "broadcast_generation_cost",
  "broadcast_generation_identity",
  "broadcast_generation_request_context"
]

const budgetPath = "/workspaces/{workspace_ref}/budgets/{interval}"
const putBudget: Call = {
  method: "PUT",
  path: budgetPath,
  status: 200,
  sends: ["limit_usd", "include_byok_in_budgets"]
}

const patchSettings: Call = {
  method: "PATCH",
  path: "/organization/settings",
  status: 200,
  sends: ["is_filtered_model_catalog_enabled"]
}

const writtenOfPrivateProvider = [
  "base_url",
  "data_policy",
  "datacenters",
  "display_name",
  "headquarters",
  "privacy_policy_url"
]

const getPrivateEndpoint: Call = { method: "GET", path: "/private-endpoints/{id}", status: 200 }

export const providerResources = {
  openrouter_api_key: {
    file: "apikey_resource.go",
    commit: "0f6f41fb4e5c646b4c77488d76cea7b73b2c313c",
    attributes: {
      hash: { ...text, ...computed },
      key: { ...text, ...computed, once: true },
      label: { ...text, ...computed },
      name: { ...text, ...required },
      workspace_id: { ...text, ...optional, ...replaces },
      creator_user_id: { ...text, ...optional, ...nullable, ...replaces },
      expires_at: { ...instant, ...optional, ...nullable, ...replaces },
      disabled: { ...flag, ...optional },
      limit: { ...number, ...optional, ...nullable },
      limit_remaining: { ...number, ...computed, ...nullable },
      limit_reset: { ...text, ...optional, ...nullable, ...intervals },
      include_byok_in_limit: { ...flag, ...optional },
      external_user: { ...text, ...computed, ...nullable },
      ...spending,
      created_at: { ...instant, ...computed },
      updated_at: { ...instant, ...computed, ...nullable }
    },
    // `disabled` is of the update alone, so every creation ends with one.
    create: [
      {
        method: "POST",
        path: "/keys",
        status: 201,
        sends: [
          "name",
          "limit",
          "limit_reset",
          "include_byok_in_limit",
          "workspace_id",
          "creator_user_id",
          "expires_at"
        ]
      },
      updateKey
    ],
    read: [{ method: "GET", path: "/keys/{hash}", status: 200 }],
    update: [updateKey],
    destroy: [{ method: "DELETE", path: "/keys/{hash}", status: 200 }],
    importedBy: ["hash"]
  },

  openrouter_byok_key: {
    file: "byokkey_resource.go",
    commit: "1c9af58b93bf0bf2f5f0536ed6ce23e9f78ec1e1",
    attributes: {
      id: { ...text, ...computed },
      key: { ...text, ...required, unread: true },
      provider_slug: { ...text, ...required, ...replaces, field: "provider" },
      workspace_id: { ...text, ...optional, ...replaces },
      name: { ...text, ...optional, ...nullable },
      label: { ...text, ...computed },
      ...Object.fromEntries(byokFlags.map((name) => [name, { ...flag, ...optional }])),
      declared_region: { ...text, ...optional, ...nullable, lacking: true },
      declared_zdr: { ...flag, ...optional, ...nullable },
      allowed_api_key_hashes: { ...texts, ...optional, ...nullable },
      allowed_models: { ...texts, ...optional, ...nullable },
      allowed_user_ids: { ...texts, ...optional, ...nullable },
      sort_order: { ...number, ...computed },
      created_at: { ...instant, ...computed }
    },
    create: [
      {
        method: "POST",
        path: "/byok",
        status: 201,
        sends: [...writtenOfByok, "key", "provider_slug", "workspace_id"]
      }
    ],
    read: [{ method: "GET", path: "/byok/{id}", status: 200 }],
    update: [{ method: "PATCH", path: "/byok/{id}", status: 200, sends: [...writtenOfByok, "key"] }],
    destroy: [{ method: "DELETE", path: "/byok/{id}", status: 200 }],
    importedBy: ["id"]
  },

  openrouter_guardrail: {
    file: "guardrail_resource.go",
    commit: "d315c057d96144bcac391c8fa009960647a8e206",
    attributes: guardrailAttributes,
    create: [{ method: "POST", path: "/guardrails", status: 201, sends: [...writtenOfGuardrail, "workspace_id"] }],
    read: [{ method: "GET", path: "/guardrails/{id}", status: 200 }],
    update: [{ method: "PATCH", path: "/guardrails/{id}", status: 200, sends: writtenOfGuardrail }],
    destroy: [{ method: "DELETE", path: "/guardrails/{id}", status: 200 }],
    importedBy: ["id"]
  },

  openrouter_guardrail_key_assignment: {
    file: "guardrailkeyassignment_resource.go",
    commit: "4dfb5d540d1117763c1453573f773a5c9cf379e5",
    attributes: {
      guardrail_id: { ...text, ...required, ...replaces },
      key_hash: { ...text, ...required, ...replaces }
    },
    create: [
      {
        method: "POST",
        path: "/guardrails/{guardrail_id}/assignments/keys",
        status: 200,
        sendsInList: { key_hashes: "key_hash" },
        takes: "nothing",
        counts: "assigned_count"
      }
    ],
    read: [
      {
        method: "GET",
        path: "/guardrails/{guardrail_id}/assignments/keys",
        status: 200,
        finds: { guardrail_id: "guardrail_id", key_hash: "key_hash" }
      }
    ],
    update: [],
    destroy: [
      {
        method: "POST",
        path: "/guardrails/{guardrail_id}/assignments/keys/remove",
        status: 200,
        sendsInList: { key_hashes: "key_hash" }
      }
    ],
    importedBy: ["guardrail_id", "key_hash"]
  },

  openrouter_guardrail_member_assignment: {
    file: "guardrailmemberassignment_resource.go",
    commit: "7fd0e341dc9c638333952e8e4159c198b7028d91",
    attributes: {
      workspace_id: { ...text, ...required, ...replaces },
      guardrail_id: { ...text, ...required, ...replaces },
      user_id: { ...text, ...required, ...replaces }
    },
    create: [
      getWorkspace,
      getAssigned,
      {
        method: "POST",
        path: "/guardrails/{guardrail_id}/assignments/members",
        status: 200,
        sendsInList: { member_user_ids: "user_id" },
        takes: "nothing"
      }
    ],
    read: [
      getAssigned,
      {
        method: "GET",
        path: "/guardrails/{guardrail_id}/assignments/members",
        status: 200,
        finds: { guardrail_id: "guardrail_id", user_id: "user_id" }
      }
    ],
    update: [],
    destroy: [
      {
        method: "POST",
        path: "/guardrails/{guardrail_id}/assignments/members/remove",
        status: 200,
        sendsInList: { member_user_ids: "user_id" }
      }
    ],
    importedBy: ["workspace_id", "guardrail_id", "user_id"]
  },

  openrouter_observability_destination: {
    file: "observabilitydestination_resource.go",
    commit: "3bb58ba1419599056051a8f1a392d296567b0430",
    attributes: {
      id: { ...text, ...computed },
      name: { ...text, ...required, ...nullable },
      type: { ...text, ...required, ...replaces, unread: true },
      workspace_id: { ...text, ...optional, ...replaces },
      // Decoded into a block for each type, which nothing is compared with.
      config: { form: "object", ...required, unread: true },
      enabled: { ...flag, ...optional },
      privacy_mode: { ...flag, ...optional },
      sampling_rate: { ...number, ...optional },
      regions: { ...texts, ...optional, oneOf: ["global", "europe", "us"] },
      api_key_hashes: { ...texts, ...optional, ...nullable },
      filter_rules: { form: "object", ...optional, ...nullable },
      broadcast_generation_cost: { ...flag, ...optional },
      broadcast_generation_identity: { ...flag, ...optional },
      broadcast_generation_request_context: { ...flag, ...optional },
      created_at: { ...instant, ...computed },
      updated_at: { ...instant, ...computed }
    },
    create: [
      {
        method: "POST",
        path: "/observability/destinations",
        status: 201,
        sends: [...writtenOfDestination, "type", "workspace_id"]
      }
    ],
    read: [{ method: "GET", path: "/observability/destinations/{id}", status: 200 }],
    update: [{ method: "PATCH", path: "/observability/destinations/{id}", status: 200, sends: writtenOfDestination }],
    destroy: [{ method: "DELETE", path: "/observability/destinations/{id}", status: 200 }],
    importedBy: ["id"]
  },

  openrouter_organization_settings: {
    file: "organizationsettings_resource.go",
    commit: "2377ec5230bcca9fba92ad5ff633e2fb449daf51",
    attributes: {
      id: { ...text, ...computed },
      is_filtered_model_catalog_enabled: { ...flag, ...required }
    },
    create: [patchSettings],
    read: [{ method: "GET", path: "/organization/settings", status: 200 }],
    update: [patchSettings],
    destroy: [],
    importedBy: []
  },

  openrouter_private_endpoint: {
    file: "privateendpoint_resource.go",
    commit: "15b79fdc6c1addfc7a574fb89aa295cbf41d1d0a",
    attributes: {
      id: { ...text, ...computed },
      activate: { form: "object", ...optional, unread: true },
      base_url: { ...text, ...optional, ...nullable, ...replaces },
      declared_region: { ...text, ...optional, ...nullable, ...replaces },
      declared_zdr: { ...flag, ...optional, ...nullable, ...replaces },
      model_name: { ...text, ...computed, ...nullable },
      model_permaslug: { ...text, ...required, ...replaces },
      model_slug: { ...text, ...computed, ...nullable },
      pricing: { form: "object", ...optional },
      provider_name: { ...text, ...computed },
      provider_slug: { ...text, ...required, ...nullable, ...replaces },
      status: { ...text, ...computed },
      upstream_model_id: { ...text, ...required, ...replaces }
    },
    // The answer of a creation has neither the price nor what the endpoint calls.
    create: [
      {
        method: "POST",
        path: "/private-endpoints",
        status: 201,
        sends: [
          "activate",
          "base_url",
          "declared_region",
          "declared_zdr",
          "model_permaslug",
          "pricing",
          "provider_slug",
          "upstream_model_id"
        ],
        takes: { id: "id" }
      },
      getPrivateEndpoint
    ],
    read: [getPrivateEndpoint],
    update: [
      { method: "PUT", path: "/private-endpoints/{id}/pricing", status: 200, sends: ["pricing"], takes: "nothing" }
    ],
    destroy: [{ method: "DELETE", path: "/private-endpoints/{id}", status: 200 }],
    importedBy: ["id"]
  },

  openrouter_private_provider: {
    file: "privateprovider_resource.go",
    commit: "cd8573177f4fbb93e2f7e0bba5dfcd0a3a9e59fb",
    attributes: {
      slug: { ...text, ...computed },
      name: { ...text, ...required, ...replaces },
      display_name: { ...text, ...required },
      base_url: { ...text, ...required, ...nullable },
      data_policy: { form: "object", ...required, ...nullable },
      datacenters: { ...texts, ...optional },
      headquarters: { ...text, ...optional, ...nullable },
      privacy_policy_url: { ...text, ...optional, ...nullable },
      created_at: { ...instant, ...computed }
    },
    create: [{ method: "POST", path: "/private-providers", status: 201, sends: ["name", ...writtenOfPrivateProvider] }],
    read: [{ method: "GET", path: "/private-providers/{slug}", status: 200 }],
    update: [{ method: "PATCH", path: "/private-providers/{slug}", status: 200, sends: writtenOfPrivateProvider }],
    destroy: [{ method: "DELETE", path: "/private-providers/{slug}", status: 200 }],
    importedBy: ["slug"]
  },

  openrouter_scim_group_mapping: {
    file: "scimgroupmapping_resource.go",
    commit: "41ac695bc84b22a1d302519744aa74e0d6cb46f0",
    attributes: {
      id: { ...text, ...computed },
      scim_group_id: { ...text, ...required, ...replaces },
      workspace_id: { ...text, ...required, ...replaces },
      role: { ...text, ...required, ...roles },
      keep_members_enum: { ...text, ...optional, unread: true },
      organization_id: { ...text, ...computed },
      created_at: { ...instant, ...computed },
      updated_at: { ...instant, ...computed }
    },
    create: [
      {
        method: "POST",
        path: "/scim/group-mappings",
        status: 201,
        sends: ["scim_group_id", "workspace_id", "role"]
      }
    ],
    read: [{ method: "GET", path: "/scim/group-mappings/{id}", status: 200 }],
    update: [{ method: "PATCH", path: "/scim/group-mappings/{id}", status: 200, sends: ["role"] }],
    destroy: [
      {
        method: "DELETE",
        path: "/scim/group-mappings/{id}",
        status: 200,
        query: { keep_members: "keep_members_enum" }
      }
    ],
    importedBy: ["id"]
  },

  openrouter_workspace: {
    file: "workspace_resource.go",
    commit: "028932c8e1b455868edd8059cf1d7832a79c42a6",
    attributes: {
      id: { ...text, ...computed },
      name: { ...text, ...required },
      slug: { ...text, ...required },
      description: { ...text, ...optional, ...nullable },
      default_text_model: { ...text, ...optional, ...nullable },
      default_image_model: { ...text, ...optional, ...nullable },
      default_provider_sort: { ...text, ...optional, ...nullable },
      default_guardrail_id: { ...text, ...computed },
      include_byok_in_budgets: { ...flag, ...computed, ...nullable },
      io_logging_api_key_ids: { form: "numbers", ...optional, ...nullable },
      io_logging_sampling_rate: { ...number, ...optional },
      is_data_discount_logging_enabled: { ...flag, ...optional },
      is_observability_broadcast_enabled: { ...flag, ...optional },
      is_observability_io_logging_enabled: { ...flag, ...optional },
      confirm_default_workspace_deletion: { ...text, ...optional, unread: true },
      created_by: { ...text, ...computed, ...nullable },
      created_at: { ...instant, ...computed },
      updated_at: { ...instant, ...computed, ...nullable }
    },
    create: [{ method: "POST", path: "/workspaces", status: 201, sends: writtenOfWorkspace }],
    read: [{ method: "GET", path: "/workspaces/{id}", status: 200 }],
    update: [{ method: "PATCH", path: "/workspaces/{id}", status: 200, sends: writtenOfWorkspace }],
    destroy: [
      {
        method: "DELETE",
        path: "/workspaces/{id}",
        status: 200,
        query: { confirm_default_workspace_deletion: "confirm_default_workspace_deletion" }
      }
    ],
    importedBy: ["id"]
  },

  openrouter_workspace_budget: {
    file: "workspacebudget_resource.go",
    commit: "2377ec5230bcca9fba92ad5ff633e2fb449daf51",
    attributes: {
      id: { ...text, ...computed },
      workspace_ref: { ...text, ...required, unread: true },
      interval: { ...text, ...required, unread: true },
      limit_usd: { ...number, ...required },
      include_byok_in_budgets: { ...flag, ...optional, ...nullable, beside: true },
      reset_interval: { ...text, ...computed, ...nullable, ...intervals },
      workspace_id: { ...text, ...computed },
      created_at: { ...instant, ...computed },
      updated_at: { ...instant, ...computed }
    },
    create: [putBudget],
    read: [{ method: "GET", path: budgetPath, status: 200 }],
    update: [putBudget],
    destroy: [{ method: "DELETE", path: budgetPath, status: 200 }],
    importedBy: ["workspace_ref", "interval"]
  },

  openrouter_workspace_default_guardrail: {
    file: "workspacedefaultguardrail_resource.go",
    commit: "85d8621df1c62fe47dcac6d91602bd7a714ba7b0",
    attributes: {
      ...guardrailAttributes,
      // The server's own; every update sends it again.
      name: { ...text, ...computed },
      workspace_id: { ...text, ...required, ...replaces }
    },
    create: [resolveDefault, { method: "PATCH", path: "/guardrails/{id}", status: 200, sends: writtenOfGuardrail }],
    read: [resolveDefault, { method: "GET", path: "/guardrails/{id}", status: 200, absentIsUnwritten: true }],
    update: [resolveDefault, { method: "PATCH", path: "/guardrails/{id}", status: 200, sends: writtenOfGuardrail }],
    destroy: [],
    importedBy: ["workspace_id"]
  },

  openrouter_workspace_member: {
    file: "workspacemember_resource.go",
    commit: "42eb3bbce3f50e979c4a89f3f7a0da1007c00474",
    attributes: {
      workspace_id: { ...text, ...required, ...replaces },
      user_id: { ...text, ...required, ...replaces },
      role: { ...text, ...computed, ...roles },
      created_at: { ...instant, ...computed }
    },
    create: [
      getWorkspace,
      {
        method: "POST",
        path: "/workspaces/{workspace_id}/members/add",
        status: 200,
        sendsInList: { user_ids: "user_id" },
        finds: { user_id: "user_id" }
      }
    ],
    read: [{ method: "GET", path: "/workspaces/{workspace_id}/members", status: 200, finds: { user_id: "user_id" } }],
    update: [],
    destroy: [
      {
        method: "POST",
        path: "/workspaces/{workspace_id}/members/remove",
        status: 200,
        sendsInList: { user_ids: "user_id" }
      }
    ],
    importedBy: ["workspace_id", "user_id"]
  }
} as const satisfies Readonly<Record<string, ProviderResource>>

export type ResourceName = keyof typeof providerResources

/** The calls of a life, in its order; each request once. */
export const callsOf = ({ create, read, update, destroy }: ProviderResource): readonly Call[] => [
  ...new Map([...create, ...read, ...update, ...destroy].map((call) => [`${call.method} ${call.path}`, call])).values()
]
