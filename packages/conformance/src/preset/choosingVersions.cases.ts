/** The cases of the operations that choose among versions of a preset. Rule: presets#choosing-a-version, presets#comparing-versions. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { ask, openMarket, providersOf } from "../admission/admissionWorld.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { withoutDefault } from "../http/withoutDefault.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { post, read, slug } from "./createPreset/scene.ts"

const params = { slug }
const unknownId = "00000000-0000-4000-8000-000000000000"

const designate = (world: World, version: unknown) => world.call("putDesignatedVersion", { params, body: { version } })
const restore = (world: World, version: string) => world.call("restorePresetVersion", { params: { slug, version } })
const compare = (world: World, version: string, query = "") =>
  world.call("comparePresetVersions", { params: { slug, version }, query })

/** Versions with these fields. */
const make = async (world: World, ...versions: readonly object[]) => {
  const made = []
  for (const fields of versions) {
    made.push((await post(world, fields)).json.data.designated_version)
    world.installation.clock.now += 1000
  }
  return made
}

const choosing = (
  operation: OperationId,
  call: { readonly params: Record<string, string>; readonly body?: object }
): readonly Case[] => [
  ...managementOnly(operation, () => call),
  { name: "an unknown preset", status: 404, run: (world) => world.call(operation, call) },
  {
    name: "a preset of another account",
    status: 404,
    run: async (world) => {
      await post(await world.other())
      return world.call(operation, call)
    }
  },
  {
    name: "an unknown workspace",
    status: 404,
    run: (world) => world.call(operation, { ...call, query: { workspace_id: unknownId } }),
    check: reasonIs("unknown_workspace")
  },
  refused(
    operation,
    "a slug that is none",
    { ...call, params: { ...call.params, slug: "a b" } },
    { path: "path.slug", reason: "invalid_preset_slug" }
  ),
  {
    name: "the default workspace deleted, and none named",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return world.call(operation, call)
    },
    check: reasonIs("default_workspace_deleted")
  },
  {
    name: "in a workspace that it names",
    status: 200,
    run: async (world) => {
      const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
      const query = { workspace_id: made.json.data.id as string }
      await post(world, {}, { key: world.managementKey, query })
      return world.call(operation, { ...call, query })
    }
  },
  storeGone("Presets", 500, (world) => world.call(operation, call))
]

/** Where only the creator designates, and the key is another user's. */
const notDesignating = (
  operation: OperationId,
  call: { readonly params: Record<string, string>; readonly body?: object }
): Case => ({
  name: "a preset of another user, in a workspace where only the creator designates",
  status: 403,
  run: async (world) => {
    await post(world, { temperature: 0 }, { key: world.normalKey })
    const body = { presets_designated_by: "creator" }
    await world.call("updateWorkspace", { params: { id: "default" }, body })
    const answer = await world.call(operation, call)
    await world.call("updateWorkspace", { params: { id: "default" }, body: { presets_designated_by: null } })
    assert.strictEqual((await world.call(operation, call)).status, 200)
    return answer
  },
  check: reasonIs("preset_designation")
})

export const choosingVersionCases: readonly CasesOf[] = [
  {
    operation: "putDesignatedVersion",
    cases: [
      {
        name: "an earlier one; requests use it from then on, and the next version is designated again",
        status: 200,
        run: async (world) => {
          const { sonnet: model } = await openMarket(world)
          const [first] = await make(
            world,
            { model, provider: { only: ["openai"] } },
            { model, provider: { only: ["anthropic"] } }
          )
          const before = (await read(world)).json.data
          assert.deepEqual(providersOf(await ask(world, { preset: slug })), ["anthropic"])
          const answer = await designate(world, 1)
          assert.deepEqual(answer.json.data, {
            ...before,
            designated_version_id: first.id,
            designated_version: first,
            updated_at: nowIn(world)
          })
          assert.strictEqual((await read(world)).text, answer.text)
          assert.deepEqual(providersOf(await ask(world, { preset: slug })), ["openai"])
          assert.deepEqual(providersOf(await ask(world, { preset: `${slug}:2` })), ["anthropic"])
          assert.strictEqual((await post(world)).json.data.designated_version.version, 3)
          return answer
        }
      },
      {
        name: "the one that is designated: nothing changes",
        status: 200,
        run: async (world) => {
          await make(world, {}, {})
          const before = await read(world)
          const answer = await designate(world, 2)
          assert.strictEqual(answer.text, before.text)
          return answer
        }
      },
      ...[3, 999_999_999].map((version): Case => ({
        name: `version ${version}, which it does not have`,
        status: 404,
        run: async (world) => {
          await make(world, {}, {})
          return designate(world, version)
        }
      })),
      ...[0, 1.5, "1", null, undefined, 1_000_000_000].map((version) =>
        refused(
          "putDesignatedVersion",
          `version ${JSON.stringify(version)}`,
          { params, body: { version } },
          { path: "version" }
        )
      ),
      notDesignating("putDesignatedVersion", { params, body: { version: 1 } }),
      ...choosing("putDesignatedVersion", { params, body: { version: 1 } }),
      outcomeUnknown("Presets", (world) => designate(world, 1))
    ]
  },
  {
    operation: "restorePresetVersion",
    cases: [
      {
        name: "a new version with the content of an old one, designated",
        status: 200,
        run: async (world) => {
          const [first, second] = await make(
            world,
            { temperature: 0.1, tools: [{ type: "x" }], messages: [{ role: "system", content: "Be brief." }] },
            { top_p: 1 }
          )
          const answer = await restore(world, "1")
          const { designated_version: third, ...preset } = answer.json.data
          assert.strictEqual(preset.designated_version_id, third.id)
          assert.deepEqual(third, {
            ...first,
            id: third.id,
            version: 3,
            creator_id: "system",
            created_at: nowIn(world),
            updated_at: nowIn(world)
          })
          const versions = await world.call("listPresetVersions", { params })
          assert.deepEqual(versions.json.data, [first, second, third])
          return answer
        }
      },
      ...["2", "01", "x"].map((version): Case => ({
        name: `version ${version}, which it does not have`,
        status: 404,
        run: async (world) => {
          await make(world, {})
          return restore(world, version)
        }
      })),
      notDesignating("restorePresetVersion", { params: { slug, version: "1" } }),
      ...choosing("restorePresetVersion", { params: { slug, version: "1" } })
    ]
  },
  {
    operation: "comparePresetVersions",
    cases: [
      {
        name: "fields that came, went and changed, by name; the order of keys does not count",
        status: 200,
        run: async (world) => {
          await make(
            world,
            {
              temperature: 0,
              top_k: 1,
              provider: { order: ["a"], sort: null },
              stop: ["a", "b"],
              messages: [{ role: "system", content: "Be brief." }]
            },
            { temperature: 0, model: "m", provider: { sort: null, order: ["a"] }, stop: ["b", "a"] }
          )
          const same = await compare(world, "2", "from=2")
          assert.deepEqual(same.json.data, { from: 2, to: 2, differences: [] })
          return compare(world, "2", "from=1")
        },
        check: ({ json }) =>
          assert.deepEqual(json.data, {
            from: 1,
            to: 2,
            differences: [
              { field: "model", from: null, to: "m" },
              { field: "stop", from: ["a", "b"], to: ["b", "a"] },
              { field: "system_prompt", from: "Be brief.", to: "" },
              { field: "top_k", from: 1, to: null }
            ]
          })
      },
      {
        name: "with the designated one by default",
        status: 200,
        run: async (world) => {
          await make(world, { top_k: 1 }, { top_k: 2 }, { top_k: 3 })
          await designate(world, 2)
          return compare(world, "3")
        },
        check: ({ json }) =>
          assert.deepEqual(json.data, { from: 2, to: 3, differences: [{ field: "top_k", from: 2, to: 3 }] })
      },
      ...[
        ["2", ""],
        ["1", "from=2"],
        ["x", "from=1"]
      ].map(([version = "", query = ""]): Case => ({
        name: `version ${version}, ${query}`,
        status: 404,
        run: async (world) => {
          await make(world, {})
          return compare(world, version, query)
        }
      })),
      ...["from=0", "from=x", "from=", "from=1000000000", "from=1&from=1"].map((query) =>
        refused("comparePresetVersions", query, { params: { slug, version: "1" }, query }, { path: "query.from" })
      ),
      ...choosing("comparePresetVersions", { params: { slug, version: "1" } })
    ]
  }
]
