import type { DestinationType } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, storeGone } from "../http/Case.ts"
import { newKeyHash, nowIn, unusableKeys } from "../key/keyStates.ts"
import { mostDestinationBytes, ownBytes } from "../limits/entityBytes.ts"
import type { World } from "../World.ts"
import { destinationConfigs } from "./destinationConfigs.ts"
import { withoutPrompts } from "./updateDestination/withoutPrompts.ts"
import { mergedConfigCases } from "./updateDestination/mergedConfigs.ts"

const nobody = "00000000-0000-4000-8000-000000000000"
const webhook = { type: "webhook", config: { url: "https://example.com/events" } }

const make = async (world: World, fields: Record<string, unknown> = {}) =>
  (await world.call("createDestination", { body: { ...webhook, ...fields } })).json.data

const patch = (world: World, id: string, body: Record<string, unknown>, headers = {}) =>
  world.call("updateDestination", { params: { id }, body, headers })

const stored = async (world: World, id: string) => (await world.call("getDestination", { params: { id } })).json.data

/** What the update answers is what is stored, and only what is named in `expected` is other than before. */
const good = (
  name: string,
  before: Record<string, unknown>,
  body: Record<string, unknown>,
  expected: Record<string, unknown>
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const made = await make(world, before)
    world.installation.clock.now += 1000
    const answer = await patch(world, made.id.toUpperCase(), body)
    const changes = Object.keys(expected).length > 0 ? { ...expected, updated_at: nowIn(world) } : {}
    assert.deepEqual(answer.json.data, { ...made, ...changes })
    assert.deepEqual(await stored(world, made.id), answer.json.data)
    assert.deepEqual((await world.call("listDestinations")).json.data, [answer.json.data])
    return answer
  }
})

const bad = (name: string, body: Record<string, unknown>, path: string, reason = "invalid_request"): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const made = await make(world)
    const answer = await patch(world, made.id, body)
    assert.deepEqual(await stored(world, made.id), made)
    return answer
  },
  check: ({ json: { error } }) => {
    assert.strictEqual(error.metadata.reason, reason)
    assert.strictEqual(error.metadata.issues[0].path, path)
  }
})

const rules = (value: string) => ({ groups: [{ rules: [{ field: "model", operator: "regex", value }] }] })
const everything = {
  name: "Traces",
  enabled: false,
  privacy_mode: true,
  sampling_rate: 0.5,
  filter_rules: { enabled: true, groups: [{ logic: "and", rules: [{ field: "model", operator: "exists" }] }] },
  broadcast_generation_cost: true,
  broadcast_generation_identity: true,
  broadcast_generation_request_context: true,
  regions: ["us"]
}
const others = {
  name: "Others",
  enabled: true,
  privacy_mode: false,
  sampling_rate: 0.0001,
  filter_rules: { enabled: false, groups: [{ logic: "or", rules: [] }] },
  broadcast_generation_cost: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
  regions: ["europe", "global"]
}

export const updateDestination: CasesOf = {
  operation: "updateDestination",
  cases: [
    {
      name: "an update that makes a destination one byte larger than it may be",
      status: 400,
      run: async (world) => {
        const value = (length: number) => ({
          filter_rules: { groups: [{ rules: [{ field: "model", operator: "equals", value: "v".repeat(length) }] }] }
        })
        const empty = await make(world, value(0))
        const full = await patch(world, empty.id, value(mostDestinationBytes - ownBytes(empty)))
        assert.strictEqual(ownBytes(full.json.data), mostDestinationBytes)
        const refused = await patch(world, empty.id, { config: { url: `${webhook.config.url}2` } })
        assert.deepEqual(await stored(world, empty.id), full.json.data)
        return refused
      },
      check: ({ json: { error } }) => assert.deepInclude(error.metadata.issues[0], { path: "config", code: "too_big" })
    },
    good("absent stays", everything, { name: "Second" }, { name: "Second" }),
    good("an empty body changes nothing", everything, {}, {}),
    good("every field", everything, others, others),
    good("the same again changes nothing, not even the time", everything, everything, {}),
    good(
      "null clears what is nullable",
      everything,
      { name: null, filter_rules: null },
      { name: null, filter_rules: null }
    ),
    good(
      "null for a boolean is the same as absent",
      everything,
      {
        enabled: null,
        privacy_mode: null,
        broadcast_generation_cost: null,
        broadcast_generation_identity: null,
        broadcast_generation_request_context: null
      },
      {}
    ),
    good("eu is europe", everything, { regions: ["eu", "europe"] }, { regions: ["europe"] }),
    good(
      "what cannot change is ignored",
      everything,
      { id: nobody, type: "s3", workspace_id: nobody, created_at: "2020-01-01T00:00:00Z", updated_at: null },
      {}
    ),
    {
      name: "type and config of every type stay",
      status: 200,
      run: async (world) => {
        for (const type of Object.keys(destinationConfigs) as DestinationType[]) {
          const made = await make(world, { type, config: destinationConfigs[type].sent })
          const answer = await patch(world, made.id, { type: "webhook", enabled: false })
          assert.deepEqual(answer.json.data, { ...made, enabled: false })
        }
        return patch(world, (await make(world)).id, { name: "last" })
      }
    },
    {
      name: "keys of the account, none of them, and a dead one that is stored already",
      status: 200,
      run: async (world) => {
        const made = await make(world)
        const [first, second] = [await newKeyHash(world), world.normalKeyHash]
        assert.deepEqual((await patch(world, made.id, { api_key_hashes: [first, second] })).json.data.api_key_hashes, [
          first,
          second
        ])
        await world.call("deleteKey", { params: { hash: first } })
        assert.deepEqual((await patch(world, made.id, { api_key_hashes: [first] })).json.data.api_key_hashes, [first])
        return patch(world, made.id, { api_key_hashes: null })
      },
      check: ({ json: { data } }) => assert.isNull(data.api_key_hashes)
    },
    ...Object.entries(unusableKeys).map(([name, hashOf]): Case => ({
      name: `a key that is ${name}`,
      status: 400,
      run: async (world) => patch(world, (await make(world)).id, { api_key_hashes: [await hashOf(world)] }),
      check: reasonIs("unknown_api_key_hash")
    })),
    ...withoutPrompts,
    ...mergedConfigCases,
    ...managementOnly("updateDestination", () => ({ params: { id: nobody }, body: { name: "x" } })),
    bad("no key hash", { api_key_hashes: [] }, "api_key_hashes"),
    bad("no region", { regions: [] }, "regions"),
    bad("a null region list", { regions: null }, "regions"),
    bad("a null sampling rate", { sampling_rate: null }, "sampling_rate"),
    bad("a sampling rate of 0", { sampling_rate: 0 }, "sampling_rate"),
    bad("a name that is no string", { name: 1 }, "name"),
    bad("rules without a list of groups", { filter_rules: {} }, "filter_rules.groups"),
    bad(
      "a regular expression that looks around",
      { filter_rules: rules("a(?=b)") },
      "filter_rules.groups.0.rules.0.value",
      "invalid_regex_pattern"
    ),
    { name: "unknown", status: 404, run: (world) => patch(world, nobody, { name: "x" }) },
    { name: "unknown, with a config", status: 404, run: (world) => patch(world, nobody, { config: { url: "x" } }) },
    { name: "malformed", status: 404, run: (world) => patch(world, "webhook", { name: "x" }) },
    {
      name: "of another account, which keeps it; alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const made = await make(other)
        const headers = { "x-request-id": "same" }
        const hidden = await patch(world, made.id, { name: "taken" }, headers)
        assert.strictEqual(hidden.text, (await patch(world, nobody, { name: "taken" }, headers)).text)
        const config = { url: "https://example.org" }
        assert.strictEqual((await patch(world, made.id, { config })).status, 404)
        assert.deepEqual(await stored(other, made.id), made)
        return hidden
      }
    },
    storeGone("Destinations", 500, (world) => patch(world, nobody, { name: "x" })),
    outcomeUnknown("Destinations", (world) => patch(world, nobody, { name: "x" }))
  ]
}
