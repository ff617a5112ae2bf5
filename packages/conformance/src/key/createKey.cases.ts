import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { sha256Hex } from "../http/sha256.ts"

const body = { name: "Batch jobs" }
const create = (world: World, fields: object = {}) => world.call("createKey", { body: { ...body, ...fields } })
const bad = (name: string, fields: Record<string, unknown>, path: string, reason?: string) =>
  refused("createKey", name, { body: { ...body, ...fields } }, { path, reason })
const good = (name: string, fields: (world: World) => Record<string, unknown>) => ({
  name,
  status: 200,
  run: (world: World) => create(world, fields(world))
})
const at = (world: World, offset: number) => new Date(world.installation.clock.now + offset).toISOString()
const ownKey = "host-issued-key-0123456789abcdef"
const external = (api_key: unknown) => ({ external: { user: "customer-1", api_key } })

export const createKey: CasesOf = {
  operation: "createKey",
  cases: [
    {
      name: "a name alone: no limit, no end, in the default workspace",
      status: 200,
      run: (world) => create(world),
      check: async ({ json: { data, key } }, world) => {
        assert.match(key, /^gw-v1-[0-9A-Za-z]{49}$/)
        const hash = await sha256Hex(key)
        assert.deepEqual(data, {
          hash,
          numeric_id: Number.parseInt(hash.slice(0, 13), 16),
          name: "Batch jobs",
          label: data.label,
          workspace_id: world.workspace_id,
          disabled: false,
          limit: null,
          limit_remaining: null,
          limit_reset: null,
          include_byok_in_limit: false,
          usage: 0,
          usage_daily: 0,
          usage_weekly: 0,
          usage_monthly: 0,
          byok_usage: 0,
          byok_usage_daily: 0,
          byok_usage_weekly: 0,
          byok_usage_monthly: 0,
          creator_user_id: null,
          external_user: null,
          expires_at: null,
          created_at: at(world, 0),
          updated_at: null,
          rotated_from_hash: null
        })
        assert.isBelow(data.label.length, 20)
        assert.isTrue(key.startsWith(data.label.split("...")[0]))
        const current = await world.call("getCurrentKey", { key })
        assert.strictEqual(current.json.data.label, data.label)
        const attempt = await world.call("createKey", { key, body })
        assert.strictEqual(attempt.status, 403)
      }
    },
    {
      name: "as sent",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Jobs", slug: "jobs" } })
        const fields = {
          name: "n".repeat(200),
          limit: 0.5,
          limit_reset: "daily",
          include_byok_in_limit: true,
          expires_at: "2099-12-31T23:59:59.123Z",
          workspace_id: workspace.json.data.id,
          creator_user_id: "user-7"
        }
        const answer = await create(world, { ...fields, external: { user: "customer-1" } })
        assert.deepInclude(answer.json.data, { ...fields, limit_remaining: 0.5, external_user: "customer-1" })
        return answer
      }
    },
    {
      name: "the user who is named is the user of the key",
      status: 200,
      run: async (world) => {
        const { key } = (await create(world, { creator_user_id: "user-7" })).json
        return world.call("getCurrentKey", { key })
      },
      check: ({ json }) => assert.strictEqual(json.data.creator_user_id, "user-7")
    },
    {
      name: "201 to the public client",
      status: 201,
      run: (world) => world.call("createKey", { body, headers: { "user-agent": "speakeasy-sdk/x" } })
    },
    {
      name: "null says what absent says",
      status: 200,
      run: (world) =>
        create(world, {
          limit: null,
          limit_reset: null,
          include_byok_in_limit: null,
          expires_at: null,
          workspace_id: null,
          creator_user_id: null,
          external: null
        }),
      check: ({ json: { data } }, world) =>
        assert.deepInclude(data, {
          limit: null,
          limit_reset: null,
          include_byok_in_limit: false,
          expires_at: null,
          workspace_id: world.workspace_id,
          creator_user_id: null,
          external_user: null
        })
    },
    {
      name: "a host's own key becomes the key, and is not returned",
      status: 200,
      run: (world) => {
        const headers = { "idempotency-key": "once" }
        return world.call("createKey", { body: { ...body, ...external(`${ownKey}-${world.account_id}`) }, headers })
      },
      check: async ({ json: { data, key }, text }, world) => {
        const own = `${ownKey}-${world.account_id}`
        assert.strictEqual(key, data.label)
        assert.strictEqual(data.hash, await sha256Hex(own))
        assert.strictEqual(data.external_user, "customer-1")
        assert.notInclude(text, own.slice(4, -4))
        assert.strictEqual((await world.call("getCurrentKey", { key })).status, 401)
        const current = await world.call("getCurrentKey", { key: own })
        assert.deepInclude(current.json.data, { label: data.label, workspace_id: world.workspace_id })
      }
    },
    {
      name: "a host's own key that is taken, here or in another account",
      status: 400,
      run: async (world) => {
        const own = external(`${ownKey}-${world.account_id}`)
        assert.strictEqual((await create(world, own)).status, 200)
        assert.strictEqual((await create(world, own)).status, 400)
        return create(await world.other(), own)
      },
      check: ({ json, text }) => {
        assert.strictEqual(json.error.metadata.reason, "api_key_unusable")
        assert.notInclude(text, ownKey)
      }
    },
    {
      name: "the key of somebody else is not taken over",
      status: 400,
      run: (world) => create(world, external(world.managementKey)),
      check: async ({ json }, world) => {
        assert.strictEqual(json.error.metadata.reason, "api_key_unusable")
        assert.strictEqual((await world.call("createKey", { body })).status, 200)
      }
    },
    good("a host's own key of 256 characters", (world) => external(`${world.account_id}${"~".repeat(220)}`)),
    good("a host's own key of 32 characters", (world) => external(world.account_id.replaceAll("-", ""))),
    bad("a host's own key of 31 characters", external("k".repeat(31)), "external.api_key"),
    bad("a host's own key of 257 characters", external("k".repeat(257)), "external.api_key"),
    bad("a host's own key with a space", external(`${"k".repeat(32)} k`), "external.api_key"),
    bad("a host's own key that no header can carry", external("é".repeat(32)), "external.api_key"),
    ...["k".repeat(64), "abcdefgh".repeat(8), `${"0".repeat(30)}12`].map((api_key) => ({
      ...bad(
        `a host's own key that is easy to guess: ${api_key}`,
        external(api_key),
        "external.api_key",
        "api_key_unusable"
      ),
      check: ({ json, text }: Answer) => {
        assert.include(json.error.metadata.issues[0].message, "too easy to guess")
        assert.notInclude(text, api_key)
      }
    })),
    good("a host's own key of 32 decimal digits", (world) =>
      external(
        BigInt(`0x${world.account_id.replaceAll("-", "")}`)
          .toString()
          .padStart(32, "9")
          .slice(-32)
      )
    ),
    bad(
      "a host's own key that looks like one of ours and is none",
      external(`gw-v1-${"k".repeat(49)}`),
      "external.api_key",
      "api_key_unusable"
    ),
    bad("external without a user", { external: {} }, "external.user"),
    bad("an external user of no characters", { external: { user: "" } }, "external.user"),
    bad("an external user of 513 characters", { external: { user: "u".repeat(513) } }, "external.user"),
    ...managementOnly("createKey", () => ({ body })),
    bad("no name", { name: undefined }, "name"),
    bad("an empty name", { name: "" }, "name"),
    bad("a name of 201 characters", { name: "😀".repeat(201) }, "name"),
    good("limit 0", () => ({ limit: 0 })),
    good("limit 1e9", () => ({ limit: 1e9 })),
    bad("a negative limit", { limit: -1 }, "limit"),
    bad("a limit of ten decimals", { limit: 0.0000000001 }, "limit"),
    bad("a limit in quotes", { limit: "5" }, "limit"),
    bad("an unknown interval", { limit: 5, limit_reset: "hourly" }, "limit_reset"),
    bad("include_byok_in_limit in quotes", { include_byok_in_limit: "true" }, "include_byok_in_limit"),
    good("expires_at a millisecond ahead", (world) => ({ expires_at: at(world, 1) })),
    {
      name: "expires_at now",
      status: 400,
      run: (world) => create(world, { expires_at: at(world, 0) }),
      check: ({ json }) => assert.deepInclude(json.error.metadata.issues[0], { path: "expires_at", code: "past" })
    },
    bad("expires_at of minute precision", { expires_at: "2099-01-01T00:00Z" }, "expires_at"),
    bad("expires_at without an offset", { expires_at: "2099-01-01T00:00:00" }, "expires_at"),
    bad("expires_at on no day", { expires_at: "2099-02-30T00:00:00Z" }, "expires_at"),
    bad("an empty user", { creator_user_id: "" }, "creator_user_id"),
    bad("the user that stands for none", { creator_user_id: "system" }, "creator_user_id"),
    bad("a user of 257 characters", { creator_user_id: "u".repeat(257) }, "creator_user_id"),
    ...bodyWorkspaceCases("createKey", body),
    {
      name: "an idempotent repetition shows the same key",
      status: 200,
      run: async (world) => {
        const call = { body, headers: { "idempotency-key": "once" } }
        const first = await world.call("createKey", call)
        const second = await world.call("createKey", call)
        assert.strictEqual(second.text, first.text)
        return second
      }
    },
    storeGone("ApiKeys", 500, (world) => create(world))
  ]
}
