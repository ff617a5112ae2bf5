import { federationPoliciesPerWorkspace } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { listCases } from "../http/listCases.ts"
import { nobody, nounCases } from "../http/nounCases.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { newPolicy, policyBody } from "./federationCases.ts"

const bad = (name: string, fields: object, path: string): Case =>
  refused("createFederationPolicy", name, { body: { ...policyBody, ...fields } }, { path })

const every = {
  name: "Every field",
  issuer: "http://localhost:9000",
  audience: "b",
  jwks_uri: "https://issuer.example.com/keys?v=1",
  subject: "*",
  claims: [
    { claim: "a", pattern: "x*" },
    { claim: "__proto__", pattern: "y" }
  ],
  lifetime_seconds: 60,
  limit: 0.000000001,
  user_id: "robot",
  allow_reuse: true,
  disabled: true
}

const { absent, inCapitals, tooMany, changed, unchanged, goneAlone } = nounCases({
  create: "createFederationPolicy",
  list: "listFederationPolicies",
  get: "getFederationPolicy",
  update: "updateFederationPolicy",
  remove: "deleteFederationPolicy",
  body: policyBody,
  make: newPolicy
})

const createFederationPolicy: CasesOf = {
  operation: "createFederationPolicy",
  cases: [
    {
      name: "every default",
      status: 200,
      run: (world) => world.call("createFederationPolicy", { body: policyBody }),
      check: ({ json: { data } }, world) =>
        assert.deepEqual(data, {
          ...policyBody,
          id: data.id,
          workspace_id: world.workspace_id,
          jwks_uri: null,
          claims: null,
          lifetime_seconds: 900,
          limit: null,
          user_id: null,
          allow_reuse: false,
          disabled: false,
          created_at: nowIn(world),
          updated_at: null
        })
    },
    {
      name: "every field, kept as sent",
      status: 200,
      run: async (world) => {
        const made = await world.call("createFederationPolicy", { body: every })
        assert.deepInclude(made.json.data, every)
        const read = await world.call("getFederationPolicy", { params: { id: made.json.data.id } })
        assert.deepEqual(read.json, made.json)
        return made
      }
    },
    bad("no name", { name: "" }, "name"),
    bad("the user that stands for none", { user_id: "system" }, "user_id"),
    bad("an issuer without TLS", { issuer: "http://issuer.example.com" }, "issuer"),
    bad("an issuer with a query", { issuer: "https://issuer.example.com?x" }, "issuer"),
    bad("an issuer with a fragment", { issuer: "https://issuer.example.com#x" }, "issuer"),
    bad("an issuer with a user", { issuer: "https://a@issuer.example.com" }, "issuer"),
    bad("an issuer that is no URL", { issuer: "issuer" }, "issuer"),
    bad("a key set without TLS", { jwks_uri: "http://169.254.169.254/keys" }, "jwks_uri"),
    bad("a key set in a file", { jwks_uri: "file:///etc/passwd" }, "jwks_uri"),
    bad("every subject", { subject: "*" }, "subject"),
    bad(
      "every subject, with a claim that says nothing",
      { subject: "**", claims: [{ claim: "a", pattern: "*" }] },
      "subject"
    ),
    bad(
      "every subject, with claims that every token of the issuer meets",
      {
        subject: "*",
        claims: [
          { claim: "iss", pattern: policyBody.issuer },
          { claim: "aud", pattern: policyBody.audience },
          { claim: "exp", pattern: "1*" },
          { claim: "jti", pattern: "*-*" }
        ]
      },
      "subject"
    ),
    bad("no claim in a list", { claims: [] }, "claims"),
    bad("too many claims", { claims: Array.from({ length: 21 }, () => ({ claim: "a", pattern: "b" })) }, "claims"),
    bad("too short a life", { lifetime_seconds: 59 }, "lifetime_seconds"),
    bad("too long a life", { lifetime_seconds: 901 }, "lifetime_seconds"),
    bad("a negative limit", { limit: -1 }, "limit"),
    bad("no audience", { audience: "" }, "audience"),
    ...bodyWorkspaceCases("createFederationPolicy", policyBody),
    tooMany(federationPoliciesPerWorkspace),
    ...managementOnly("createFederationPolicy", () => ({ body: policyBody })),
    storeGone("FederationPolicies", 500, (world) => world.call("createFederationPolicy", { body: policyBody })),
    outcomeUnknown("FederationPolicies", (world) => world.call("createFederationPolicy", { body: policyBody }))
  ]
}

const listFederationPolicies: CasesOf = {
  operation: "listFederationPolicies",
  cases: [
    ...listCases(
      "listFederationPolicies",
      async (world, workspace_id) => (await newPolicy(world, { workspace_id })).id
    ),
    ...managementOnly("listFederationPolicies", () => ({})),
    storeGone("FederationPolicies", 500, (world) => world.call("listFederationPolicies"))
  ]
}

const getFederationPolicy: CasesOf = {
  operation: "getFederationPolicy",
  cases: [
    inCapitals,
    ...absent("getFederationPolicy"),
    ...managementOnly("getFederationPolicy", () => ({ params: { id: nobody } })),
    storeGone("FederationPolicies", 500, (world) => world.call("getFederationPolicy", { params: { id: nobody } }))
  ]
}

const update = (world: World, id: string, body: object) =>
  world.call("updateFederationPolicy", { params: { id }, body })

const updateFederationPolicy: CasesOf = {
  operation: "updateFederationPolicy",
  cases: [
    changed("every field", {}, every, every),
    changed("nothing", every, {}, {}),
    changed("the same again", every, every, {}),
    changed(
      "null clears what is nullable and is absent elsewhere",
      { ...every, subject: "a" },
      { jwks_uri: null, claims: null, limit: null, user_id: null, allow_reuse: null, disabled: null },
      { jwks_uri: null, claims: null, limit: null, user_id: null }
    ),
    changed("what cannot change is ignored", {}, { id: nobody, workspace_id: nobody, created_at: "x" }, {}),
    unchanged("every subject", {}, { subject: "*" }, "subject"),
    unchanged(
      "claims that every token of the issuer meets",
      { subject: "*", claims: [{ claim: "tenant", pattern: "acme" }] },
      { claims: [{ claim: "aud", pattern: policyBody.audience }] },
      "subject"
    ),
    unchanged("an issuer without TLS", {}, { issuer: "http://example.com" }, "issuer"),
    unchanged("a name that is null", {}, { name: null }, "name"),
    ...absent("updateFederationPolicy", { name: "x" }),
    ...managementOnly("updateFederationPolicy", () => ({ params: { id: nobody }, body: {} })),
    storeGone("FederationPolicies", 500, (world) => update(world, nobody, {})),
    outcomeUnknown("FederationPolicies", (world) => update(world, nobody, { name: "x" }))
  ]
}

const remove = (world: World, id: string) => world.call("deleteFederationPolicy", { params: { id } })

const deleteFederationPolicy: CasesOf = {
  operation: "deleteFederationPolicy",
  cases: [
    goneAlone,
    ...absent("deleteFederationPolicy"),
    ...managementOnly("deleteFederationPolicy", () => ({ params: { id: nobody } })),
    storeGone("FederationPolicies", 500, (world) => remove(world, nobody))
  ]
}

export const federationPolicyCases: readonly CasesOf[] = [
  createFederationPolicy,
  listFederationPolicies,
  getFederationPolicy,
  updateFederationPolicy,
  deleteFederationPolicy
]
