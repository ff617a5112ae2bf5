import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"

const list = (world: World, query: Record<string, string> = {}) => world.call("getAuditLog", { query })

/** A guardrail that was made, renamed and deleted; answers its id. */
const liveAndDie = async (world: World): Promise<string> => {
  const { json } = await world.call("createGuardrail", {
    body: { name: "First", limit_usd: 5, reset_interval: "daily" }
  })
  const params = { id: json.data.id as string }
  await world.call("updateGuardrail", { params, body: { name: "Second" } })
  await world.call("deleteGuardrail", { params })
  return params.id
}

const shown = ({ noun, action, operation }: Record<string, string>) => `${noun}.${action} ${operation}`

export const getAuditLog: CasesOf = {
  operation: "getAuditLog",
  cases: [
    {
      name: "who changed what, before and after",
      status: 200,
      run: async (world) => list(world, { entity: await liveAndDie(world) }),
      check: ({ json }, world) => {
        assert.deepEqual(json.data.map(shown), [
          "guardrail.delete deleteGuardrail",
          "guardrail.update updateGuardrail",
          "guardrail.create createGuardrail"
        ])
        const [deleted, updated, created] = json.data
        assert.deepInclude(created.after, {
          name: "First",
          limit_usd: 5,
          reset_interval: "daily",
          allowed_models: null
        })
        assert.strictEqual(created.before, null)
        assert.deepEqual(updated.before, created.after)
        assert.strictEqual(updated.after.name, "Second")
        assert.deepEqual(deleted.before, updated.after)
        assert.strictEqual(deleted.after, null)
        for (const entry of json.data) {
          assert.strictEqual(entry.actor.type, "key")
          assert.match(entry.actor.id, /^[0-9a-f]{64}$/)
          assert.isString(entry.actor.name)
          assert.match(entry.request_id, /./)
          assert.strictEqual(entry.workspace_id, world.workspace_id)
          assert.strictEqual(Date.parse(entry.at), world.installation.clock.now)
        }
        assert.deepEqual(
          json.data.map((entry: Record<string, unknown>) => entry["entity_name"]),
          ["Second", "Second", "First"]
        )
        assert.strictEqual(json.next_cursor, null)
      }
    },
    {
      name: "with the name of a key as it is now where the change has none, and of who made it",
      status: 200,
      run: async (world) => {
        const made = await world.call("createManagementKey", { body: { name: "Robot" } })
        const { key } = made.json
        const { hash } = (await world.call("createKey", { body: { name: "CI" } })).json.data
        await world.call("putKeyRateLimits", { params: { hash }, body: { requests_per_minute: 5 }, key })
        await world.call("updateKey", { params: { hash }, body: { name: "CI 2" } })
        const query = { entity: hash, noun: "key_rate_limits" }
        const namesOf = async () => {
          const [{ entity_name, actor }] = (await list(world, query)).json.data
          return [entity_name, actor.name]
        }
        assert.deepEqual(await namesOf(), ["CI 2", "Robot"])
        await world.call("deleteManagementKey", { params: { hash: made.json.data.hash } })
        await world.call("deleteKey", { params: { hash } })
        // A revoked key keeps its name; a deleted one has none.
        const all = (await list(world, query)).json.data
        assert.deepEqual([all.at(-1).entity_name, all.at(-1).actor.name], [null, "Robot"])
        return list(world, { entity: hash, operation: "createKey" })
      },
      check: ({ json }) =>
        assert.strictEqual(json.data.find((e: { noun: string }) => e.noun === "key").entity_name, "CI")
    },
    {
      name: "an answer that an idempotency key keeps: recorded once",
      status: 200,
      run: async (world) => {
        const headers = { "idempotency-key": "once" }
        const made = await world.call("createGuardrail", { body: { name: "Once" }, headers })
        await world.call("createGuardrail", { body: { name: "Once" }, headers })
        return list(world, { entity: made.json.data.id })
      },
      check: ({ json }) => assert.deepEqual(json.data.map(shown), ["guardrail.create createGuardrail"])
    },
    {
      name: "pages, to the first change of the account",
      status: 200,
      run: async (world) => {
        await liveAndDie(world)
        const seen: number[] = []
        let cursor: string | null = "9999999"
        while (cursor !== null) {
          const { json } = await list(world, { limit: "2", cursor })
          seen.push(...json.data.map(({ position }: { position: number }) => position))
          cursor = json.next_cursor
        }
        assert.deepEqual(
          seen,
          Array.from({ length: seen.length }, (_, index) => seen.length - index)
        )
        return list(world, { noun: "guardrail", operation: "updateGuardrail", actor: "key" })
      },
      check: ({ json }) => assert.deepEqual(json.data.map(shown), ["guardrail.update updateGuardrail"])
    },
    {
      name: "pages of large entries, which are smaller",
      status: 200,
      run: async (world) => {
        const made = await world.call("createGuardrail", { body: { name: "Large" } })
        const params = { id: made.json.data.id as string }
        // Of the full length, but one set of characters, which compiles in a hundredth of the time of as many characters.
        const pattern = `[${"x".repeat(9_998)}]`
        const content_filters = Array.from({ length: 65 }, () => ({ pattern, action: "block" }))
        for (const name of ["a", "b", "c", "d", "e"])
          await world.call("updateGuardrail", { params, body: { name, content_filters } })
        const first = await list(world, { entity: params.id })
        assert.lengthOf(first.json.data, 3)
        return list(world, { entity: params.id, cursor: first.json.next_cursor })
      },
      check: ({ json }) => {
        assert.deepEqual(
          json.data.map(({ after }: { after: { name: string } }) => after.name),
          ["b", "a", "Large"]
        )
        assert.strictEqual(json.next_cursor, null)
      }
    },
    {
      name: "between two times",
      status: 200,
      run: async (world) => {
        const { clock } = world.installation
        const entity = await liveAndDie(world)
        const from = new Date(clock.now + 1).toISOString()
        assert.lengthOf((await list(world, { entity, from })).json.data, 0)
        assert.lengthOf((await list(world, { entity, to: new Date(clock.now).toISOString() })).json.data, 0)
        return list(world, { entity, from: new Date(clock.now).toISOString(), to: from })
      },
      check: ({ json }) => assert.lengthOf(json.data, 3)
    },
    {
      name: "after the earliest time, and before the latest",
      status: 200,
      run: async (world) =>
        list(world, {
          entity: await liveAndDie(world),
          from: "0000-01-01T00:00:00Z",
          to: "9999-12-31T23:59:59.999999999Z"
        }),
      check: ({ json }) => assert.lengthOf(json.data, 3)
    },
    {
      name: "no secret of a BYOK credential, and a label in its place",
      status: 200,
      run: async (world) => {
        const key = `sk-${"secret".repeat(6)}`
        await world.call("createByokCredential", { body: { provider: "openai", key } })
        const answer = await list(world, { noun: "byok_credential" })
        assert.notInclude(answer.text, key)
        return answer
      },
      check: ({ json }) => {
        assert.deepEqual(json.data.map(shown), ["byok_credential.create createByokCredential"])
        assert.isString(json.data[0].after.label)
        assert.notProperty(json.data[0].after, "sealed_key")
      }
    },
    {
      name: "a refused change: nothing",
      status: 200,
      run: async (world) => {
        await world.call("createGuardrail", { body: { name: "" } })
        await world.call("deleteGuardrail", { params: { id: crypto.randomUUID() } })
        return list(world, { noun: "guardrail" })
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], next_cursor: null })
    },
    {
      name: "nothing of another account",
      status: 200,
      run: async (world) => list(await world.other(), { entity: await liveAndDie(world) }),
      check: ({ json }) => assert.deepEqual(json, { data: [], next_cursor: null })
    },
    refused("getAuditLog", "an unknown noun", { query: { noun: "key_ring" } }, { path: "query.noun" }),
    refused(
      "getAuditLog",
      "a time without a zone",
      { query: { from: "2026-01-05" } },
      { path: "query.from", message: "Expected a time with seconds and an offset, such as 2026-01-05T09:30:00Z" }
    ),
    {
      name: "times of any offset",
      status: 200,
      run: async (world) => {
        const entity = await liveAndDie(world)
        const at = new Date(world.installation.clock.now + 2 * 3_600_000)
        const text = (millis: number) => new Date(at.getTime() + millis).toISOString().replace("Z", "+02:00")
        assert.lengthOf((await list(world, { entity, from: text(1) })).json.data, 0)
        return list(world, { entity, from: text(-60_000), to: text(1) })
      },
      check: ({ json }) => assert.lengthOf(json.data, 3)
    },
    refused("getAuditLog", "a cursor that is none", { query: { cursor: "-1" } }, { path: "query.cursor" }),
    refused("getAuditLog", "a limit of 0", { query: { limit: "0" } }, { path: "query.limit" }),
    ...managementOnly("getAuditLog", () => ({})),
    storeGone("AuditLog", 500, (world) => list(world))
  ]
}
