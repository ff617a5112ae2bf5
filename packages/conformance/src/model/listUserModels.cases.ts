import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, refused, storeGone, unchanged } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "./catalog.ts"
import { idsOf, ofAuthor, read } from "./listModels/reading.ts"

const usable = (world: World, query: Record<string, string> = {}, key = world.normalKey) =>
  world.call("listUserModels", { key, query })

/** Applies to all keys of the world's workspace. */
const restrict = async (world: World, body: Readonly<Record<string, unknown>>) => {
  const answer = await world.call("updateGuardrail", { params: { id: world.default_guardrail_id }, body })
  assert.strictEqual(answer.status, 200, answer.text)
}

export const listUserModels: CasesOf = {
  operation: "listUserModels",
  cases: [
    {
      name: "what no guardrail restricts: the same as the list",
      status: 200,
      run: async (world) => {
        await list(world, model(`${newAuthor()}/m`))
        assert.deepEqual((await usable(world, {}, world.managementKey)).json, (await read(world)).json)
        const answer = await usable(world)
        assert.deepEqual(answer.json, (await read(world)).json)
        return answer
      }
    },
    {
      name: "without models, and without endpoints, that guardrails forbid",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const keeps = endpoint({ tag: "keeps", provider_slug: "keeper", context_length: 100_000 })
        const trains = endpoint({ tag: "trains", trains_on_data: true })
        const forgets = endpoint({ tag: "forgets", context_length: 5_000, zero_data_retention: true })
        await list(
          world,
          model(`${author}/a`, { canonical_slug: `${author}/a-1`, endpoints: [keeps, trains, forgets] }),
          model(`${author}/b`, { endpoints: [keeps] }),
          model(`${author}/c`, { endpoints: [forgets] })
        )
        await restrict(world, { ignored_models: [`${author}/c`], ignored_providers: ["keeper"] })
        const without = ofAuthor(await usable(world), author)
        assert.deepEqual(
          without.map(({ id }) => id),
          [`${author}/a`]
        )
        assert.strictEqual(without[0]?.["context_length"], 8192, "of the endpoints that are left")
        assert.lengthOf(ofAuthor(await usable(world, {}, world.managementKey), author), 3, "of another key")

        await restrict(world, { enable_paid_model_training: false, allowed_models: [`${author}/a-1`, `${author}/b`] })
        const left = await usable(world)
        assert.deepEqual(idsOf(left), [`${author}/a`])
        assert.strictEqual(left.json.data[0].top_provider.context_length, 5_000)
        assert.strictEqual(left.json.total_count, 1)

        const own = await world.call("createGuardrail", { body: { name: "Key", allowed_providers: ["nobody"] } })
        const { id } = own.json.data
        const assigned = { params: { id }, body: { key_hashes: [world.normalKeyHash] } }
        assert.strictEqual((await world.call("assignKeys", assigned)).status, 200)
        assert.isEmpty((await usable(world)).json.data)
        assert.strictEqual((await world.call("unassignKeys", assigned)).status, 200)
        return usable(world)
      },
      check: ({ json }) => assert.lengthOf(json.data, 1)
    },
    {
      name: "in the region through which the request arrives",
      status: 200,
      run: async (world) => {
        await list(world, model(`${newAuthor()}/m`))
        await restrict(world, { allowed_data_regions: ["europe"] })
        const answer = await usable(world)
        assert.deepEqual(answer.json, { object: "list", data: [], total_count: 0, links: { next: null } })
        return answer
      }
    },
    {
      name: "with capacity of the workspace's own that keeps no data",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`, { endpoints: [endpoint({ provider_slug: "groq" })] }))
        await restrict(world, { enforce_zdr: true, allowed_models: [`${author}/m`] })
        assert.isEmpty((await usable(world)).json.data)
        const made = await world.call("createByokCredential", {
          body: { provider: "groq", key: "gsk-0123456789", declared_zdr: true }
        })
        assert.strictEqual(made.status, 200, made.text)
        return usable(world)
      },
      check: ({ json }) => assert.lengthOf(json.data, 1)
    },
    {
      name: "a page, and where the next one is",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(
          world,
          ...["a", "b"].map((slug) =>
            model(`${author}/${slug}`, { architecture: { input_modalities: ["text"], output_modalities: [author] } })
          )
        )
        const first = await usable(world, { limit: "1", output_modalities: author })
        assert.deepEqual(idsOf(first), [`${author}/a`])
        assert.strictEqual(first.json.total_count, 2)
        return world.send("GET", `/models/user${first.json.links.next}`, { key: world.normalKey })
      },
      check: ({ json }) => assert.lengthOf(json.data, 1)
    },
    refused("listUserModels", "a page before the first", { query: { offset: "-1" } }, { path: "query.offset" }),
    unchanged("listUserModels"),
    ...accessCases("listUserModels", () => ({})),
    storeGone("ModelCatalog", 500, (world) => usable(world))
  ]
}
