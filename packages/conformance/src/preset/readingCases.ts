/** What every operation that reads presets promises of its key, its slug and `workspace_id`. Rule: presets#place-of-a-preset. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { Answer, Call } from "../World.ts"
import { accessCases, type Case, reasonIs, refused, storeGone } from "../http/Case.ts"
import { withoutDefault } from "../http/withoutDefault.ts"
import { post } from "./createPreset/scene.ts"

const unknownId = "00000000-0000-4000-8000-000000000000"

/** Of an operation with the path parameters of `call`, on the preset `support`, of which `seen` finds the id in an answer. */
export const readingCases = (
  operation: OperationId,
  call: Pick<Call, "params">,
  seen: (json: Answer["json"]) => string | undefined
): readonly Case[] => [
  {
    name: "with a management key: in the default workspace, and in one that it names",
    status: 200,
    run: async (world) => {
      const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
      const key = world.managementKey
      const query = { workspace_id: made.json.data.id as string }
      const here = await post(world)
      const there = await post(world, {}, { key, query })
      const read = await world.call(operation, { ...call, key })
      assert.strictEqual(seen(read.json), here.json.data.id)
      const second = await world.call(operation, { ...call, key, query })
      assert.strictEqual(seen(second.json), there.json.data.id)
      return second
    }
  },
  {
    name: "with an API key that names its own workspace",
    status: 200,
    run: async (world) => {
      await post(world)
      return world.call(operation, { ...call, query: { workspace_id: world.workspace_id, other: "7" } })
    }
  },
  ...accessCases(operation, () => call),
  {
    name: "an API key that names another workspace of its account, as one that nobody has",
    status: 404,
    run: async (world) => {
      const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
      const query = { workspace_id: made.json.data.id as string }
      await post(world, {}, { key: world.managementKey, query })
      const foreign = await world.call(operation, { ...call, query })
      const absent = await world.call(operation, { ...call, query: { workspace_id: unknownId } })
      assert.strictEqual(foreign.json.error.metadata.reason, absent.json.error.metadata.reason)
      return foreign
    }
  },
  {
    name: "a management key that names a workspace of another account",
    status: 404,
    run: async (world) => {
      const other = await world.other()
      await post(other)
      return world.call(operation, { ...call, key: world.managementKey, query: { workspace_id: other.workspace_id } })
    },
    check: reasonIs("unknown_workspace")
  },
  refused(
    operation,
    "a workspace_id that is none",
    { ...call, query: { workspace_id: "x" } },
    { path: "query.workspace_id" }
  ),
  {
    name: "the default workspace deleted, and none named",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return world.call(operation, { ...call, key: world.managementKey })
    },
    check: reasonIs("default_workspace_deleted")
  },
  storeGone("Presets", 500, (world) => world.call(operation, call))
]

/** The same of an operation below one preset. */
export const readingPresetCases = (
  operation: OperationId,
  params: Readonly<Record<string, string>>,
  seen: Parameters<typeof readingCases>[2]
): readonly Case[] => [
  ...readingCases(operation, { params }, seen),
  { name: "an unknown preset", status: 404, run: (world) => world.call(operation, { params }) },
  {
    name: "a preset of another account",
    status: 404,
    run: async (world) => {
      await post(await world.other())
      return world.call(operation, { params })
    }
  },
  refused(
    operation,
    "a slug that is none",
    { params: { ...params, slug: "a b" } },
    { path: "path.slug", reason: "invalid_preset_slug" }
  )
]
