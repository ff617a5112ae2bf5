import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { audience } from "./federationCases.ts"
import { issuer, keySet } from "./tokenIssuers.ts"

const trust = {
  issuer: fc.constantFrom(issuer, issuer, "https://other.example.com", "http://example.com"),
  audience: fc.constant(audience),
  jwks_uri: fc.constantFrom(null, null, keySet, "https://other.example.com/keys"),
  subject: fc.constantFrom("repo:acme/*", "repo:acme/*:ref:refs/heads/main", "*", "other")
}

export const createFederationPolicy = command("createFederationPolicy", {
  weight: 3,
  body: trust,
  together: members({ workspace_id: fc.option(some("workspace")) }, ["workspace_id"]),
  keeps: { federation_policy: dataOf }
})

export const updateFederationPolicy = command("updateFederationPolicy", {
  weight: 2,
  params: { id: some("federation_policy") },
  body: trust
})

export const getFederationPolicy = command("getFederationPolicy", {
  params: { id: some("federation_policy") },
  reads: { kind: "federation_policy", params: { id: "id" } }
})

export const listFederationPolicies = command("listFederationPolicies", { query: { workspace_id: some("workspace") } })

export const deleteFederationPolicy = command("deleteFederationPolicy", { params: { id: some("federation_policy") } })
