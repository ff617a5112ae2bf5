/** Settings, destinations and group mappings of an organization. */
import {
  computed,
  flag,
  instant,
  nullable,
  number,
  optional,
  replaces,
  required,
  roles,
  text,
  texts,
  type Call,
  type ProviderResource
} from "../ProviderResource.ts"

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

const patchSettings: Call = {
  method: "PATCH",
  path: "/organization/settings",
  status: 200,
  sends: ["is_filtered_model_catalog_enabled"]
}

export const observabilityDestination: ProviderResource = {
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
}

export const organizationSettings: ProviderResource = {
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
}

export const scimGroupMapping: ProviderResource = {
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
}
