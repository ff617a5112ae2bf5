/** Reasons of errors about guardrails, credentials, presets and destinations. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const policiesReasons = {
  limit_reset_pair: {
    statuses: [400],
    means: "limit_usd and reset_interval must be sent together, or neither.",
    remedy: "Send both, or neither. For a limit that never resets send reset_interval null.",
    call: 'POST /guardrails {"name":"Production","limit_usd":50,"reset_interval":"daily"}'
  },
  invalid_regex_pattern: {
    statuses: [400],
    means: "The pattern is not RE2 syntax, or its program is too large. RE2 runs in linear time.",
    remedy: "Rewrite the pattern in RE2 syntax, without look-around and back-references."
  },
  default_guardrail_name: {
    statuses: [400],
    means: "A default guardrail takes its name from its workspace; the name cannot be set.",
    remedy: "Leave name out of the request."
  },
  default_guardrail_kept: {
    statuses: [400],
    means: "The default guardrail of a workspace cannot be deleted.",
    remedy: "Clear its fields instead: PATCH them to null."
  },
  unknown_provider: {
    statuses: [400],
    means: "The installation knows no provider with this slug.",
    remedy: "Send the slug of a known provider, or ask the operator to add it.",
    call: "GET /providers lists the providers"
  },
  byok_only_fallback: {
    statuses: [400],
    means: "is_byok_only and is_fallback cannot both be true.",
    remedy: "Set at most one of them to true."
  },
  no_byok_credential: {
    statuses: [404],
    means: "The workspace has no enabled BYOK credential for this provider that the key may use.",
    remedy: "Create or enable one.",
    call: 'POST /byok {"provider":"openai","key":"sk-…"}'
  },
  conflicting_reasoning_effort: {
    statuses: [400],
    means: "reasoning_effort contradicts reasoning.effort.",
    remedy: "Send one of the two, or the same value in both."
  },
  invalid_preset_slug: {
    statuses: [400],
    means: "The slug of the preset is malformed.",
    remedy: "Use 1 to 128 letters, digits, dots, underscores, tildes and hyphens."
  },
  preset_designation: {
    statuses: [403],
    means: "The workspace lets only keys of the user who created the preset designate its versions.",
    remedy: "Use a management key of that user, or change presets_designated_by of the workspace."
  },
  destination_limit: {
    statuses: [409],
    means: "The workspace has five destinations of this type, which is the maximum.",
    remedy: "Delete or change one of them."
  },
  destination_receives_nothing: {
    statuses: [409],
    means:
      "The destination is disabled, or its workspace has is_observability_broadcast_enabled false. What is sent again now would be passed over.",
    remedy: "Enable the destination, and deliveries of the workspace, and send the request again."
  },
  region_not_declarable: {
    statuses: [400],
    means:
      "The declared_region of a BYOK credential is not the region in its key (openai, fireworks), or the provider is another than azure and the region is europe or us.",
    remedy:
      'Leave declared_region out. A key of openai or fireworks carries its region: {"api_key": "…", "region": "europe"}; send the key with it to change the region.'
  },
  masked_value: {
    statuses: [400],
    means:
      "A secret of the config looks masked, and is not what is shown of the stored one, so it would replace a secret by a mask.",
    remedy: "Send the whole secret, or leave the field out to keep the stored one."
  },
  mail_unavailable: {
    statuses: [400],
    means:
      "The server has no mail server to send through, or it does not know its own address, so that no recipient could confirm.",
    remedy:
      "Use a webhook, or ask the operator to set GATEWARDEN_SMTP_URL, GATEWARDEN_SMTP_FROM and GATEWARDEN_PUBLIC_URL."
  },
  key_limit_exceeded: {
    statuses: [402],
    means: "The request can cost more than what is left of the key's own limit.",
    remedy: "Send max_tokens, shorten the prompt, wait until the limit resets, or have the limit of the key raised.",
    call: 'PATCH /keys/{hash} {"limit":10}'
  },
  guardrail_budget_exceeded: {
    statuses: [403],
    means: "The request can cost more than what is left of the budget of a guardrail that applies to the key.",
    remedy:
      "Send max_tokens, shorten the prompt, wait until the budget resets, or have limit_usd of the guardrail raised.",
    call: 'PATCH /guardrails/{id} {"limit_usd":100,"reset_interval":"daily"}'
  },
  workspace_budget_exceeded: {
    statuses: [403],
    means: "The request can cost more than what is left of a budget of the key's workspace.",
    remedy: "Ask who manages the workspace, or wait until the budget resets.",
    call: 'PUT /workspaces/{id}/budgets/{interval} {"limit_usd":100}'
  },
  key_rate_limited: {
    statuses: [429],
    means: "The key has used up one of its rate limits.",
    remedy: "Wait for the seconds that Retry-After names, or have the rate limits of the key raised.",
    call: 'PUT /gateway/keys/{hash}/rate-limits {"requests_per_minute":100}'
  },
  region_not_allowed: {
    statuses: [403],
    means: "The guardrails of the key do not allow requests that come in through this region (allowed_data_regions).",
    remedy: "Send the request to a server of an allowed region. POST /gateway/explanations names it.",
    call: "POST /gateway/explanations with the same body: regions.missing names the side"
  },
  no_endpoint_allowed: {
    statuses: [403, 404],
    means:
      "The requested models have endpoints, and the guardrails, the credentials or the preferences of the request rule each of them out.",
    remedy:
      "Name another model, or loosen the preferences of the request. POST /gateway/explanations lists every rule, and the smallest change that allows the request.",
    call: "POST /gateway/explanations with the same body: smallest_change names the edit"
  },
  no_known_price: {
    statuses: [404],
    means: "A budget applies, and no allowed endpoint has a known price for all that the request asks for.",
    remedy: "Name another model, or add the price to the catalog with PUT /gateway/catalog.",
    call: "PUT /gateway/catalog with the pricing of the endpoint"
  },
  unknown_model: {
    statuses: [404],
    means: "The catalog has no endpoint of the requested models.",
    remedy: "Name a model that GET /models lists, or add it with PUT /gateway/catalog.",
    call: "GET /models lists the models; gatewarden catalog import adds some"
  },
  unknown_preset: {
    statuses: [404],
    means: "The workspace of the key has no preset of this name, or not this version of it.",
    remedy: "Name a preset that GET /presets lists.",
    call: "GET /presets lists the presets"
  },
  content_blocked: {
    statuses: [403],
    means: "A content filter found something that it blocks.",
    remedy: "Take out what the message names. The findings of the admission name the filter.",
    call: "POST /gateway/explanations with the same body: findings name filter and path"
  },
  content_filter_failed: {
    statuses: [403],
    means:
      "A content filter that blocks or redacts could not search the whole request in time, or its detector gave no answer.",
    remedy: "Send a shorter request, or repeat it later."
  },
  content_unscannable: {
    statuses: [403],
    means:
      "The request has a part that content filters cannot look into, such as an image, and a guardrail blocks such parts.",
    remedy: "Send the content as text, or have content_filter_unscannable of the guardrail changed."
  },
  server_tool_disabled: {
    statuses: [403],
    means: "The workspace of the key disables a server tool that the request names.",
    remedy: "Leave the tool out, or have it taken out of disabled_server_tools of the workspace.",
    call: "POST /gateway/explanations with the same body"
  },
  api_key_required: {
    statuses: [403],
    means: "The key is a management key or a gateway key, which cannot send model requests.",
    remedy: "Use an API key. POST /keys creates one."
  },
  secret_required: {
    statuses: [400],
    means:
      "The new address of a destination or an alert channel has another host, for which its stored secrets are not meant.",
    remedy: "Send the secrets in whole together with the address, or create another destination."
  }
} as const satisfies ReasonTable
