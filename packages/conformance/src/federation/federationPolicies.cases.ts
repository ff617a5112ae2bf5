import { federationPoliciesPerWorkspace } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { listCases } from "../http/listCases.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { newPolicy, policyBody } from "./federationCases.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

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

/** 404 for what is not there, what is malformed, and what another account has, alike but for the request id. */
const absent = (
  operation: "getFederationPolicy" | "updateFederationPolicy" | "deleteFederationPolicy",
  body?: object
): readonly Case[] => {
  const call = (world: World, id: string) =>
    world.call(operation, {
      params: { id },
      headers: { "x-request-id": "same" },
      ...(body === undefined ? {} : { body })
    })
  return [
    { name: "unknown", status: 404, run: (world) => call(world, nobody) },
    { name: "malformed", status: 404, run: (world) => call(world, "x") },
    {
      name: "of another account, which keeps it",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const policy = await newPolicy(other)
        const answer = await call(world, policy.id)
        assert.strictEqual(answer.text, (await call(world, nobody)).text)
        const kept = await other.call("getFederationPolicy", { params: { id: policy.id } })
        assert.deepEqual(kept.json.data, policy)
        return answer
      }
    }
  ]
}

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
    bad("no claim in a list", { claims: [] }, "claims"),
    bad("too many claims", { claims: Array.from({ length: 21 }, () => ({ claim: "a", pattern: "b" })) }, "claims"),
    bad("too short a life", { lifetime_seconds: 59 }, "lifetime_seconds"),
    bad("too long a life", { lifetime_seconds: 901 }, "lifetime_seconds"),
    bad("a negative limit", { limit: -1 }, "limit"),
    bad("no audience", { audience: "" }, "audience"),
    ...bodyWorkspaceCases("createFederationPolicy", policyBody),
    {
      name: "more than a workspace may have",
      status: 400,
      run: async (world) => {
        for (let count = 0; count < federationPoliciesPerWorkspace; count++) await newPolicy(world)
        return world.call("createFederationPolicy", { body: policyBody })
      },
      check: reasonIs("quota_exceeded")
    },
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
    {
      name: "in capitals, too",
      status: 200,
      run: async (world) => {
        const policy = await newPolicy(world)
        const answer = await world.call("getFederationPolicy", { params: { id: policy.id.toUpperCase() } })
        assert.deepEqual(answer.json.data, policy)
        return answer
      }
    },
    ...absent("getFederationPolicy"),
    ...managementOnly("getFederationPolicy", () => ({ params: { id: nobody } })),
    storeGone("FederationPolicies", 500, (world) => world.call("getFederationPolicy", { params: { id: nobody } }))
  ]
}

const update = (world: World, id: string, body: object) =>
  world.call("updateFederationPolicy", { params: { id }, body })

/** Exactly what is expected changes. */
const changed = (name: string, before: object, body: object, expected: object): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const policy = await newPolicy(world, before)
    world.installation.clock.now += 1000
    const answer = await update(world, policy.id, body)
    const moved = Object.keys(expected).length === 0 ? {} : { updated_at: nowIn(world) }
    assert.deepEqual(answer.json.data, { ...policy, ...expected, ...moved })
    const read = await world.call("getFederationPolicy", { params: { id: policy.id } })
    assert.deepEqual(read.json, answer.json)
    return answer
  }
})

const unchanged = (name: string, body: object, path: string): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const policy = await newPolicy(world)
    const answer = await update(world, policy.id, body)
    assert.deepEqual((await world.call("getFederationPolicy", { params: { id: policy.id } })).json.data, policy)
    return answer
  },
  check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, path)
})

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
    unchanged("every subject", { subject: "*" }, "subject"),
    unchanged("an issuer without TLS", { issuer: "http://example.com" }, "issuer"),
    unchanged("a name that is null", { name: null }, "name"),
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
    {
      name: "gone, and no other",
      status: 200,
      run: async (world) => {
        const [policy, other] = [await newPolicy(world), await newPolicy(world)]
        const answer = await remove(world, policy.id)
        assert.strictEqual((await remove(world, policy.id)).status, 404)
        assert.deepEqual((await world.call("listFederationPolicies")).json, { data: [other], total_count: 1 })
        return answer
      }
    },
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
