/**
 * Configurations of each resource: as a user first writes it, and what the user changes then. One has only what is required; together
 * they set every attribute, and change every one that can change.
 */
import { regionalKey } from "@gatewarden/conformance/internal/byok/declaredRegions"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"
import type { ResourceName } from "./providerResources.ts"
import type { Values } from "./terraformProvider.ts"

export interface Life {
  readonly name: string
  readonly given: Values
  /** One apply each. */
  readonly changes?: readonly Values[]
}

/** What resources refer to. */
export interface Surroundings {
  readonly workspaceId: string
  readonly workspaceSlug: string
  readonly keyHash: string
  readonly otherKeyHash: string
  readonly guardrailId: string
  /** A user who is a member of the workspace, and one who is not. */
  readonly member: string
  readonly stranger: string
  readonly groupId: string
}

type LivesOf = (around: Surroundings) => readonly Life[]

/** The provider sends this default itself. */
const regions = ["global"]

const guardrailValues: Values = {
  description: "European endpoints",
  allowed_data_regions: ["europe"],
  allowed_models: ["openai/gpt-5.2", "anthropic/claude-4.5-opus"],
  allowed_providers: ["openai", "anthropic"],
  ignored_models: ["openai/gpt-4o-mini"],
  ignored_providers: ["azure"],
  content_filter_builtins: [
    { slug: "email", action: "redact" },
    { slug: "regex-prompt-injection", action: "block", scan_scope: "user_only" }
  ],
  content_filters: [
    { pattern: "acct-[0-9]{6}", action: "block", label: "[ACCOUNT]" },
    { pattern: "ticket-[0-9]+", action: "flag" }
  ],
  enable_free_model_publication: false,
  enable_free_model_training: false,
  enable_paid_model_training: false,
  enforce_zdr_anthropic: true,
  enforce_zdr_google: false,
  enforce_zdr_openai: true,
  enforce_zdr_other: false,
  enforce_zdr_xai: true,
  include_byok_in_budgets: true,
  limit_usd: 12.5,
  reset_interval: "monthly"
}

const guardrailChanges: readonly Values[] = [
  { description: "All endpoints", limit_usd: 0.1, reset_interval: "daily" },
  {
    allowed_data_regions: ["us", "global"],
    allowed_models: ["anthropic/claude-4.5-opus", "openai/gpt-5.2", "acme/sonnet"],
    allowed_providers: ["anthropic"],
    ignored_models: ["acme/tiny", "openai/gpt-4o-mini"],
    ignored_providers: ["groq"]
  },
  {
    content_filter_builtins: [{ slug: "regex-prompt-injection", action: "flag", scan_scope: "all_messages" }],
    content_filters: [{ pattern: "ticket-[0-9]+", action: "redact" }]
  },
  {
    enable_free_model_publication: true,
    enable_free_model_training: true,
    enable_paid_model_training: true,
    include_byok_in_budgets: false
  },
  {
    enforce_zdr_anthropic: false,
    enforce_zdr_google: true,
    enforce_zdr_openai: false,
    enforce_zdr_other: true,
    enforce_zdr_xai: false
  }
]

export const lives: Readonly<Record<ResourceName, LivesOf>> = {
  openrouter_api_key: ({ workspaceId }) => [
    { name: "required", given: { name: "Backend" }, changes: [{ name: "Service" }] },
    {
      name: "all",
      given: {
        name: "Backend",
        workspace_id: workspaceId,
        creator_user_id: "ann",
        expires_at: "2999-12-31T23:59:59Z",
        disabled: true,
        limit: 50,
        limit_reset: "monthly",
        include_byok_in_limit: true
      },
      changes: [
        { name: "Service", disabled: false },
        { limit: 0, limit_reset: "weekly" },
        { limit: 0.1, include_byok_in_limit: false }
      ]
    },
    { name: "an interval without a limit", given: { name: "Backend", limit_reset: "daily" }, changes: [{ limit: 3 }] }
  ],

  openrouter_byok_key: ({ workspaceId, keyHash, otherKeyHash }) => [
    {
      name: "required",
      given: { key: "sk-proj-0123456789abcdefghij", provider_slug: "openai" },
      changes: [{ key: "sk-proj-abcdefghij0123456789" }]
    },
    {
      name: "all",
      given: {
        key: "sk-proj-0123456789abcdefghij",
        provider_slug: "anthropic",
        workspace_id: workspaceId,
        name: "Production",
        disabled: true,
        is_fallback: true,
        is_required: true,
        is_byok_only: false,
        declared_zdr: true,
        allowed_api_key_hashes: [keyHash],
        allowed_models: ["anthropic/claude-4.5-opus", "acme/sonnet"],
        allowed_user_ids: ["ann", "bob"]
      },
      changes: [
        { name: "", disabled: false, is_required: false, declared_zdr: false },
        { is_fallback: false, is_byok_only: true },
        { allowed_api_key_hashes: [otherKeyHash, keyHash], allowed_models: [], allowed_user_ids: ["bob"] }
      ]
    },
    {
      name: "a declared region",
      given: { key: "0123456789abcdef0123456789abcdef", provider_slug: "azure", declared_region: "europe" },
      changes: [{ declared_region: "us" }, { declared_region: "global", key: "abcdef0123456789abcdef0123456789" }]
    },
    {
      name: "the region of a key",
      given: { key: regionalKey("europe"), provider_slug: "openai", declared_region: "europe" },
      changes: [{ key: regionalKey("us"), declared_region: "us" }, { name: "United States" }]
    }
  ],

  openrouter_guardrail: ({ workspaceId }) => [
    { name: "required", given: { name: "Cap" }, changes: [{ name: "Limits" }] },
    {
      name: "all",
      given: { name: "Cap", workspace_id: workspaceId, ...guardrailValues },
      changes: [{ name: "Limits" }, ...guardrailChanges]
    },
    {
      name: "the deprecated flag",
      given: { name: "Retention", enforce_zdr: true },
      changes: [{ description: "All vendors" }, { enforce_zdr_xai: false }, { enforce_zdr: false }]
    }
  ],

  openrouter_guardrail_key_assignment: ({ guardrailId, keyHash }) => [
    { name: "required", given: { guardrail_id: guardrailId, key_hash: keyHash } }
  ],

  openrouter_guardrail_member_assignment: ({ workspaceId, guardrailId, member }) => [
    { name: "required", given: { workspace_id: workspaceId, guardrail_id: guardrailId, user_id: member } }
  ],

  openrouter_observability_destination: ({ workspaceId, keyHash, otherKeyHash }) => [
    ...Object.entries(destinationConfigs).map(([type, { sent, optional = {} }]) => ({
      name: type,
      given: { name: type, type, regions, config: sent },
      changes: [{ config: { ...sent, ...optional } }, { name: "Traces" }]
    })),
    {
      name: "all",
      given: {
        name: "Hook",
        type: "webhook",
        workspace_id: workspaceId,
        config: { url: "https://hooks.example.com/in", method: "POST", headers: { "x-team": "research" } },
        enabled: false,
        privacy_mode: true,
        sampling_rate: 0.25,
        regions: ["europe"],
        api_key_hashes: [keyHash],
        filter_rules: {
          enabled: true,
          groups: [{ logic: "and", rules: [{ field: "total_cost", operator: "gte", value: 0.01 }] }]
        },
        broadcast_generation_cost: true,
        broadcast_generation_identity: true,
        broadcast_generation_request_context: true
      },
      changes: [
        { name: "Traces", enabled: true, privacy_mode: false, sampling_rate: 1 },
        { config: { url: "https://hooks.example.com/other", method: "PUT" }, regions: ["us", "global"] },
        {
          api_key_hashes: [otherKeyHash, keyHash],
          filter_rules: {
            enabled: false,
            groups: [{ logic: "or", rules: [{ field: "model", operator: "equals", value: "openai/gpt-5.2" }] }]
          }
        },
        {
          broadcast_generation_cost: false,
          broadcast_generation_identity: false,
          broadcast_generation_request_context: false
        }
      ]
    }
  ],

  openrouter_organization_settings: () => [
    {
      name: "required",
      given: { is_filtered_model_catalog_enabled: true },
      changes: [{ is_filtered_model_catalog_enabled: false }]
    }
  ],

  openrouter_private_endpoint: () => [
    {
      name: "all",
      given: {
        model_permaslug: "acme/sonnet-2026-01-01",
        provider_slug: "openai",
        upstream_model_id: "sonnet-1",
        base_url: "https://inference.example.com/v1",
        declared_region: "us",
        declared_zdr: true,
        pricing: { prompt: "0.000001", completion: "0.000002" }
      },
      changes: [{ pricing: { prompt: "0.000003", completion: "0.000004" } }]
    }
  ],

  openrouter_private_provider: () => [
    {
      name: "all",
      given: {
        name: "Acme Inference",
        display_name: "Acme",
        base_url: "https://inference.example.com/v1",
        data_policy: { retains_prompts: true, prompt_retention_days: 30, training: false },
        datacenters: ["US"],
        headquarters: "US",
        privacy_policy_url: "https://example.com/privacy"
      },
      changes: [
        { display_name: "Acme Labs", base_url: "https://inference.example.com/v2", datacenters: ["DE", "US"] },
        {
          data_policy: { retains_prompts: false, training: false },
          headquarters: "DE",
          privacy_policy_url: "https://example.com/policy"
        }
      ]
    }
  ],

  openrouter_scim_group_mapping: ({ groupId, workspaceId }) => [
    {
      name: "all",
      given: { scim_group_id: groupId, workspace_id: workspaceId, role: "member", keep_members_enum: "false" },
      changes: [{ role: "admin" }]
    }
  ],

  openrouter_workspace: () => [
    { name: "required", given: { name: "Lab", slug: "lab" }, changes: [{ name: "Laboratory" }] },
    {
      name: "all",
      given: {
        name: "Production",
        slug: "production",
        description: "Production environment",
        default_text_model: "openai/gpt-5.2",
        default_image_model: "openai/dall-e-3",
        default_provider_sort: "price",
        io_logging_api_key_ids: [4, 7],
        io_logging_sampling_rate: 0.5,
        is_data_discount_logging_enabled: true,
        is_observability_broadcast_enabled: true,
        is_observability_io_logging_enabled: true,
        confirm_default_workspace_deletion: "false"
      },
      changes: [
        { name: "Live", slug: "live", description: "" },
        { default_text_model: "acme/sonnet", default_image_model: "acme/draw", default_provider_sort: "latency" },
        { io_logging_api_key_ids: [7], io_logging_sampling_rate: 1 },
        {
          is_data_discount_logging_enabled: false,
          is_observability_broadcast_enabled: false,
          is_observability_io_logging_enabled: false
        }
      ]
    }
  ],

  openrouter_workspace_budget: ({ workspaceId, workspaceSlug }) => [
    {
      name: "required",
      given: { workspace_ref: workspaceId, interval: "monthly", limit_usd: 100 },
      changes: [{ limit_usd: 0.1 }]
    },
    {
      name: "all",
      given: { workspace_ref: workspaceSlug, interval: "lifetime", limit_usd: 100, include_byok_in_budgets: true },
      changes: [{ include_byok_in_budgets: false }]
    }
  ],

  openrouter_workspace_default_guardrail: ({ workspaceId }) => [
    {
      name: "all",
      given: { workspace_id: workspaceId, ...guardrailValues },
      changes: guardrailChanges
    },
    {
      name: "the deprecated flag",
      given: { workspace_id: workspaceId, enforce_zdr: true },
      changes: [{ enforce_zdr: false }]
    }
  ],

  openrouter_workspace_member: ({ workspaceId, stranger }) => [
    { name: "required", given: { workspace_id: workspaceId, user_id: stranger } }
  ]
}
