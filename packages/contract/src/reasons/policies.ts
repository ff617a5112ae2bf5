/** Reasons of errors about guardrails, credentials, presets and destinations. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const policiesReasons = {
  limit_reset_pair: {
    statuses: [400],
    means: "limit_usd and reset_interval must be sent together, or neither.",
    remedy: "Send both, or neither. For a limit that never resets send reset_interval null."
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
    remedy: "Send the slug of a known provider, or ask the operator to add it."
  },
  byok_only_fallback: {
    statuses: [400],
    means: "is_byok_only and is_fallback cannot both be true.",
    remedy: "Set at most one of them to true."
  },
  no_byok_credential: {
    statuses: [404],
    means: "The workspace has no enabled BYOK credential for this provider that the key may use.",
    remedy: "Create or enable one."
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
  masked_value: {
    statuses: [400],
    means:
      "A secret of the config looks masked, and is not what is shown of the stored one, so it would replace a secret by a mask.",
    remedy: "Send the whole secret, or leave the field out to keep the stored one."
  },
  mail_unavailable: {
    statuses: [400],
    means: "The server has no mail server to send through, so no channel of the type email can be created.",
    remedy: "Use a webhook, or ask the operator to set GATEWARDEN_SMTP_URL and GATEWARDEN_SMTP_FROM."
  },
  secret_required: {
    statuses: [400],
    means:
      "The new address of a destination or an alert channel has another host, for which its stored secrets are not meant.",
    remedy: "Send the secrets in whole together with the address, or create another destination."
  }
} as const satisfies ReasonTable
