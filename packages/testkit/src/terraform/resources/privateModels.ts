/** Private endpoints and private providers. */
import {
  computed,
  flag,
  instant,
  nullable,
  optional,
  replaces,
  required,
  text,
  texts,
  type Call,
  type ProviderResource
} from "../ProviderResource.ts"

const writtenOfPrivateProvider = [
  "base_url",
  "data_policy",
  "datacenters",
  "display_name",
  "headquarters",
  "privacy_policy_url"
]

const getPrivateEndpoint: Call = { method: "GET", path: "/private-endpoints/{id}", status: 200 }

export const privateEndpoint: ProviderResource = {
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
}

export const privateProvider: ProviderResource = {
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
}
