import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "../model/catalog.ts"
import { ofAuthor } from "../model/listModels/reading.ts"
import type { World } from "../World.ts"

const read = (world: World) => world.call("getOrganizationSettings")

const update = (world: World, is_filtered_model_catalog_enabled: unknown) =>
  world.call("updateOrganizationSettings", { body: { is_filtered_model_catalog_enabled } })

const settingsOf = ({ account_id }: World, is_filtered_model_catalog_enabled: boolean) => ({
  data: { id: account_id, is_filtered_model_catalog_enabled }
})

/** Ids of the author's models that `GET /models` lists. */
const listed = async (world: World, author: string, key: string, query: Readonly<Record<string, string>> = {}) =>
  ofAuthor(await world.call("listModels", { key, query }), author).map(({ id }) => id)

const getOrganizationSettings: CasesOf = {
  operation: "getOrganizationSettings",
  cases: [
    {
      name: "the defaults, where nothing was set",
      status: 200,
      run: read,
      check: ({ json }, world) => assert.deepEqual(json, settingsOf(world, false))
    },
    ...managementOnly("getOrganizationSettings", () => ({})),
    storeGone("OrganizationSettings", 500, read)
  ]
}

const updateOrganizationSettings: CasesOf = {
  operation: "updateOrganizationSettings",
  cases: [
    {
      name: "of this account alone, again and back",
      status: 200,
      run: async (world) => {
        const other = await world.other()
        for (const is of [true, true, false, true]) {
          assert.deepEqual((await update(world, is)).json, settingsOf(world, is))
          assert.deepEqual((await read(world)).json, settingsOf(world, is))
          assert.deepEqual((await read(other)).json, settingsOf(other, false))
        }
        return update(world, false)
      },
      check: ({ json }, world) => assert.deepEqual(json, settingsOf(world, false))
    },
    {
      name: "an API key is listed the models that it may use, with every filter; a management key all of them",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const [allowed, forbidden] = [`${author}/allowed`, `${author}/forbidden`]
        await list(
          world,
          model(allowed, { endpoints: [endpoint({})] }),
          model(forbidden, { endpoints: [endpoint({})] })
        )
        const restricted = await world.call("updateGuardrail", {
          params: { id: world.default_guardrail_id },
          body: { ignored_models: [forbidden] }
        })
        assert.strictEqual(restricted.status, 200, restricted.text)
        assert.deepEqual(await listed(world, author, world.normalKey), [allowed, forbidden])
        const answer = await update(world, true)
        assert.deepEqual(await listed(world, author, world.normalKey), [allowed])
        assert.deepEqual(await listed(world, author, world.normalKey, { q: "forbidden" }), [])
        assert.deepEqual(await listed(world, author, world.normalKey, { q: "allowed", sort: "newest" }), [allowed])
        assert.deepEqual(await listed(world, author, world.managementKey), [allowed, forbidden])
        const page = await world.call("listModels", { key: world.normalKey, query: { limit: "1", q: author } })
        assert.deepInclude(page.json, { total_count: 1, links: { next: null } })
        assert.strictEqual((await update(world, false)).status, 200)
        assert.deepEqual(await listed(world, author, world.normalKey), [allowed, forbidden])
        return answer
      }
    },
    refused("updateOrganizationSettings", "nothing", { body: {} }, { path: "is_filtered_model_catalog_enabled" }),
    refused(
      "updateOrganizationSettings",
      "null",
      { body: { is_filtered_model_catalog_enabled: null } },
      { path: "is_filtered_model_catalog_enabled" }
    ),
    ...managementOnly("updateOrganizationSettings", () => ({ body: { is_filtered_model_catalog_enabled: true } })),
    storeGone("OrganizationSettings", 500, (world) => update(world, true)),
    outcomeUnknown("OrganizationSettings", (world) => update(world, true))
  ]
}

export const organizationSettingsCases: readonly CasesOf[] = [getOrganizationSettings, updateOrganizationSettings]
