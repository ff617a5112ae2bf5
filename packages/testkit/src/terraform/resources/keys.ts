/** API keys and BYOK keys. */
import {
  computed,
  flag,
  instant,
  intervals,
  nullable,
  number,
  optional,
  replaces,
  required,
  text,
  texts,
  type Call,
  type ProviderResource
} from "../ProviderResource.ts"

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

export const apiKey: ProviderResource = {
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
      sends: ["name", "limit", "limit_reset", "include_byok_in_limit", "workspace_id", "creator_user_id", "expires_at"]
    },
    updateKey
  ],
  read: [{ method: "GET", path: "/keys/{hash}", status: 200 }],
  update: [updateKey],
  destroy: [{ method: "DELETE", path: "/keys/{hash}", status: 200 }],
  importedBy: ["hash"]
}

export const byokKey: ProviderResource = {
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
    declared_region: { ...text, ...optional, ...nullable },
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
}
