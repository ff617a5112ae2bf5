import type { DestinationType } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import { type ConfigFixture, destinationConfigs } from "./destinationConfigs.ts"
import { mostDestinationBytes, ownBytes } from "../limits/entityBytes.ts"
import { nowIn, unusableKeys } from "../key/keyStates.ts"
import { restrictedKey, searching } from "./updateDestination/withoutPrompts.ts"

const body = { type: "webhook", config: { url: "https://example.com/events" } }

const create = (world: World, fields: Record<string, unknown> = {}) =>
  world.call("createDestination", { body: { ...body, ...fields } })

const bad = (name: string, fields: Record<string, unknown>, path: string, reason?: string) =>
  refused("createDestination", name, { body: { ...body, ...fields } }, { path, reason })

const good = (name: string, fields: Record<string, unknown>, expected = fields): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const answer = await create(world, fields)
    const listed = await world.call("listDestinations")
    assert.deepEqual(listed.json.data, [answer.json.data])
    return answer
  },
  check: ({ json: { data } }) => assert.deepInclude(data, expected)
})

const rule = (fields: Record<string, unknown>) => ({ filter_rules: { groups: [{ rules: [fields] }] } })

const ofType = (
  type: DestinationType,
  { sent, shown, optional = {}, refused = [] }: ConfigFixture
): readonly Case[] => [
  {
    name: `${type}: defaults and masks`,
    status: 200,
    run: async (world) => {
      const answer = await create(world, { type, config: { ...sent, surprise: "x", apikey: "y" } })
      assert.deepEqual(answer.json.data.config, shown)
      const full = await create(world, { type, config: { ...sent, ...optional } })
      assert.deepEqual(full.json.data.config, { ...shown, ...optional })
      const listed = await world.call("listDestinations")
      assert.sameDeepMembers(listed.json.data, [answer.json.data, full.json.data])
      return answer
    },
    check: ({ json: { data } }) => assert.strictEqual(data.type, type)
  },
  {
    name: `${type}: what it cannot do without, and what it refuses`,
    status: 400,
    run: async (world) => {
      const without = Object.keys(sent).flatMap((field) =>
        [undefined, "", null, 7].map((value) => [field, value] as const)
      )
      for (const [field, value] of [...without, ...refused]) {
        const answer = await create(world, { type, config: { ...sent, [field]: value } })
        assert.strictEqual(answer.status, 400, `${field}: ${String(value)}`)
        assert.strictEqual(answer.json.error.metadata.issues[0].path, `config.${field}`)
      }
      return create(world, { type, config: {} })
    },
    check: ({ json }) =>
      assert.sameMembers(
        json.error.metadata.issues.map((issue: { path: string }) => issue.path),
        Object.keys(sent).map((field) => `config.${field}`)
      )
  }
]

const withHeaders = (headers: unknown) => ({ config: { ...body.config, headers } })

const manyHeaders = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, "..."]))

export const createDestination: CasesOf = {
  operation: "createDestination",
  cases: [
    {
      name: "the whole size of a destination, and one byte more",
      status: 400,
      run: async (world) => {
        const filtered = (length: number) =>
          create(world, rule({ field: "model", operator: "equals", value: "v".repeat(length) }))
        const room = mostDestinationBytes - ownBytes((await filtered(0)).json.data)
        assert.strictEqual((await filtered(room)).status, 200)
        const refused = await filtered(room + 1)
        assert.strictEqual((await world.call("listDestinations")).json.total_count, 2)
        return refused
      },
      check: ({ json: { error } }) =>
        assert.deepInclude(error.metadata.issues[0], { path: "filter_rules", code: "too_big" })
    },
    {
      name: "a type and its config: every default",
      status: 200,
      run: (world) => create(world),
      check: ({ json: { data } }, world) => {
        const { id, ...rest } = data
        assert.match(id, /^[0-9a-f-]{36}$/)
        assert.deepEqual(rest, {
          workspace_id: world.workspace_id,
          name: null,
          enabled: true,
          privacy_mode: false,
          sampling_rate: 1,
          api_key_hashes: null,
          filter_rules: null,
          broadcast_generation_cost: false,
          broadcast_generation_identity: false,
          broadcast_generation_request_context: false,
          regions: ["global"],
          created_at: nowIn(world),
          updated_at: nowIn(world),
          type: "webhook",
          config: { url: "https://example.com/events", method: "POST" }
        })
      }
    },
    good("every field", {
      name: "Traces",
      enabled: false,
      privacy_mode: true,
      sampling_rate: 0.0001,
      filter_rules: {
        enabled: false,
        groups: [
          {
            logic: "or",
            rules: [
              { field: "model", operator: "regex", value: "^openai/" },
              { field: "total_cost", operator: "gte", value: 0.25 },
              { field: "user_id", operator: "not_exists" }
            ]
          }
        ]
      },
      broadcast_generation_cost: true,
      broadcast_generation_identity: true,
      broadcast_generation_request_context: true,
      regions: ["us", "global"]
    }),
    ...Object.entries(destinationConfigs).flatMap(([type, fixture]) => ofType(type as DestinationType, fixture)),
    {
      name: "the public client is answered 201",
      status: 201,
      run: (world) =>
        world.call("createDestination", { body, headers: { "user-agent": "speakeasy-sdk/typescript 1.3.19" } })
    },
    good(
      "null for a nullable field, and for a boolean",
      {
        name: null,
        api_key_hashes: null,
        filter_rules: null,
        enabled: null,
        privacy_mode: null,
        broadcast_generation_cost: null,
        workspace_id: null
      },
      {
        name: null,
        api_key_hashes: null,
        filter_rules: null,
        enabled: true,
        privacy_mode: false,
        broadcast_generation_cost: false
      }
    ),
    good(
      "eu is europe, and each region counts once",
      { regions: ["eu", "us", "europe", "us"] },
      { regions: ["europe", "us"] }
    ),
    good(
      "rules with defaults, and nothing that they do not know",
      {
        filter_rules: { x: 1, groups: [{ y: 1, rules: [{ field: "model", operator: "exists", z: 1 }] }, { rules: [] }] }
      },
      {
        filter_rules: {
          enabled: true,
          groups: [
            { logic: "and", rules: [{ field: "model", operator: "exists" }] },
            { logic: "and", rules: [] }
          ]
        }
      }
    ),
    good("rules without groups", { filter_rules: { groups: [] } }, { filter_rules: { enabled: true, groups: [] } }),
    good("a sampling rate of 1", { sampling_rate: 1 }, { sampling_rate: 1 }),
    good("an odd sampling rate", { sampling_rate: 0.12345678901234568 }, { sampling_rate: 0.12345678901234568 }),
    good("an empty name", { name: "" }, { name: "" }),
    good(
      "every header value is masked, whatever its name",
      {
        type: "otel-collector",
        config: {
          endpoint: "https://otel.example.com",
          headers: JSON.parse(
            '{"Authorization":"Bearer xaat-0123456789abcdef","X-Dataset":"traces","__proto__":"0123456789ab","constructor":""}'
          )
        }
      },
      {
        config: {
          endpoint: "https://otel.example.com",
          headers: JSON.parse('{"Authorization":"Be...cdef","X-Dataset":"...","__proto__":"...ab","constructor":"..."}')
        }
      }
    ),
    good("64 headers", withHeaders(manyHeaders(64)), {
      config: { ...body.config, method: "POST", headers: manyHeaders(64) }
    }),
    good("no headers in headers", withHeaders({}), { config: { ...body.config, method: "POST", headers: {} } }),
    {
      name: "an optional secret is masked, too",
      status: 200,
      run: (world) =>
        create(world, {
          type: "s3",
          config: { ...destinationConfigs.s3.sent, sessionToken: "FwoGZXIvYXdzEJr//////////wEaDH" }
        }),
      check: ({ json: { data } }) => assert.strictEqual(data.config.sessionToken, "Fw...EaDH")
    },
    {
      name: "what a client cannot set is ignored",
      status: 200,
      run: (world) => create(world, { id: world.workspace_id, created_at: "2020-01-01T00:00:00Z", sealed_config: "x" }),
      check: ({ json: { data } }, world) => {
        assert.notStrictEqual(data.id, world.workspace_id)
        assert.strictEqual(data.created_at, nowIn(world))
        assert.notProperty(data, "sealed_config")
      }
    },
    {
      name: "with keys of the account",
      status: 200,
      run: (world) => create(world, { api_key_hashes: [world.normalKeyHash] }),
      check: ({ json: { data } }, world) => assert.deepEqual(data.api_key_hashes, [world.normalKeyHash])
    },
    ...Object.entries(unusableKeys).map(([name, hashOf]): Case => ({
      name: `with a key that is ${name}`,
      status: 400,
      run: async (world) => create(world, { api_key_hashes: [await hashOf(world)] }),
      check: reasonIs("unknown_api_key_hash")
    })),
    {
      name: "a restricted key without prompts: only in privacy mode, and without rules of bodies",
      status: 403,
      run: async (world) => {
        for (const restrictions of [{ resources: ["observability"] }, { workspace_ids: [world.workspace_id] }]) {
          const key = await restrictedKey(world, restrictions)
          const made = await world.call("createDestination", { key, body: { ...body, privacy_mode: true } })
          assert.strictEqual(made.status, 200, made.text)
          const searched = { ...body, privacy_mode: true, enabled: false, filter_rules: searching("output") }
          for (const refused of [body, searched]) {
            const answer = await world.call("createDestination", { key, body: refused })
            assert.strictEqual(answer.status, 403, answer.text)
          }
        }
        const key = await restrictedKey(world, { resources: ["observability"] })
        return world.call("createDestination", { key, body: { ...body, privacy_mode: false } })
      },
      check: reasonIs("restricted_key")
    },
    ...managementOnly("createDestination", () => ({ body })),
    bad("no type", { type: undefined }, "type"),
    bad("an unknown type", { type: "bigquery" }, "type"),
    bad("a type in capitals", { type: "Webhook" }, "type"),
    bad("a type by a name of objects", { type: "constructor" }, "type"),
    bad("no config", { config: undefined }, "config"),
    bad("a null config", { config: null }, "config"),
    bad("a config that is a list", { config: [] }, "config"),
    bad("a config of another type", { config: { endpoint: "https://otel.example.com" } }, "config.url"),
    bad("65 headers", withHeaders(manyHeaders(65)), "config.headers"),
    bad("null headers", withHeaders(null), "config.headers"),
    bad("headers in a list", withHeaders(["X-A: b"]), "config.headers"),
    bad("a header that is no string", withHeaders({ "X-A": 1 }), "config.headers"),
    bad("a header with a line break", withHeaders({ "X-A": "b\r\nX-C: d" }), "config.headers"),
    bad("a header beyond bytes", withHeaders({ "X-A": "日本" }), "config.headers"),
    bad("a header name with a space", withHeaders({ "X A": "b" }), "config.headers"),
    bad("a header without a name", withHeaders({ "": "b" }), "config.headers"),
    bad("a sampling rate below 0.0001", { sampling_rate: 0.00009999 }, "sampling_rate"),
    bad("a sampling rate of 0", { sampling_rate: 0 }, "sampling_rate"),
    bad("a sampling rate above 1", { sampling_rate: 1.0000001 }, "sampling_rate"),
    bad("a sampling rate in a string", { sampling_rate: "1" }, "sampling_rate"),
    bad("a null sampling rate", { sampling_rate: null }, "sampling_rate"),
    bad("no key hash", { api_key_hashes: [] }, "api_key_hashes"),
    bad("a key hash in capitals", { api_key_hashes: ["A".repeat(64)] }, "api_key_hashes.0"),
    bad("a key hash of 65 characters", { api_key_hashes: ["a".repeat(65)] }, "api_key_hashes.0"),
    bad("no region", { regions: [] }, "regions"),
    bad("a null region list", { regions: null }, "regions"),
    bad("an unknown region", { regions: ["global", "asia"] }, "regions.1"),
    bad("rules without a list of groups", { filter_rules: {} }, "filter_rules.groups"),
    bad("rules in a list", { filter_rules: [] }, "filter_rules"),
    bad("an unknown logic", { filter_rules: { groups: [{ logic: "xor", rules: [] }] } }, "filter_rules.groups.0.logic"),
    bad("an unknown rule field", rule({ field: "cost", operator: "gt" }), "filter_rules.groups.0.rules.0.field"),
    bad("an unknown operator", rule({ field: "model", operator: "in" }), "filter_rules.groups.0.rules.0.operator"),
    bad(
      "a rule value in a list",
      rule({ field: "model", operator: "equals", value: ["a"] }),
      "filter_rules.groups.0.rules.0.value"
    ),
    bad(
      "a rule value of null",
      rule({ field: "model", operator: "equals", value: null }),
      "filter_rules.groups.0.rules.0.value"
    ),
    bad(
      "a regular expression that looks around",
      rule({ field: "input", operator: "regex", value: "a(?=b)" }),
      "filter_rules.groups.0.rules.0.value",
      "invalid_regex_pattern"
    ),
    bad("a name that is no string", { name: 1 }, "name"),
    bad("enabled that is no boolean", { enabled: 1 }, "enabled"),
    ...bodyWorkspaceCases("createDestination", body),
    {
      name: "a sixth of one type in one workspace",
      status: 409,
      run: async (world) => {
        const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
        for (let index = 0; index < 5; index++)
          assert.strictEqual((await create(world, { enabled: index > 0 })).status, 200)
        assert.strictEqual((await create(world, { workspace_id: second })).status, 200)
        assert.strictEqual((await create(await world.other())).status, 200)
        const another = await create(world, { type: "posthog", config: destinationConfigs.posthog.sent })
        assert.strictEqual(another.status, 200)
        const refused = await create(world)
        assert.strictEqual((await world.call("listDestinations")).json.total_count, 6)
        return refused
      },
      check: ({ json: { error } }) => {
        assert.strictEqual(error.message, "Resource conflict. Please try again later.")
        assert.strictEqual(error.metadata.reason, "destination_limit")
      }
    },
    {
      name: "twelve of a type at once: five are made",
      status: 409,
      run: async (world) => {
        for (const type of ["opik", "ramp", "weave", "grafana"] as const) {
          const { sent: config } = destinationConfigs[type]
          const answers = await Promise.all(Array.from({ length: 12 }, () => create(world, { type, config })))
          assert.strictEqual(answers.filter((answer) => answer.status === 200).length, 5)
          assert.strictEqual(answers.filter((answer) => answer.status === 409).length, 7)
        }
        return create(world, { type: "weave", config: destinationConfigs.weave.sent })
      }
    },
    storeGone("Destinations", 500, (world) => create(world))
  ]
}
