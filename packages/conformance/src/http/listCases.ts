/** What every list promises of `limit`, `offset` and `workspace_id`. Rule: requests#lists. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { type Case, reasonIs, refused } from "./Case.ts"
import { withoutDefault } from "./withoutDefault.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const turnedDown = (operation: OperationId, name: string, query: string, path: string, reason?: string): Case =>
  refused(operation, name, { query }, { path, reason })

type Within = (world: World) => Promise<Pick<Call, "params">> | Pick<Call, "params">

const nothingThere = ({ json }: Answer): void => assert.deepEqual(json, { data: [], total_count: 0 })

/** Which pages may be asked for. `within` says what is listed, `check` what every accepted request is answered. */
export const boundsCases = (
  operation: OperationId,
  within: Within,
  check: (answer: Answer) => void = nothingThere
): readonly Case[] => {
  const taken = (name: string, query: string): Case => ({
    name,
    status: 200,
    run: async (world) => world.call(operation, { ...(await within(world)), query }),
    check
  })
  const turnedDown = (name: string, query: string, path: string): Case => ({
    name,
    status: 400,
    run: async (world) => world.call(operation, { ...(await within(world)), query }),
    check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, path)
  })
  return [
    taken("nothing there", ""),
    taken("the smallest limit", "limit=1"),
    taken("the largest limit", "limit=100"),
    taken("an empty offset is 0", "offset="),
    taken("offset null is 0", "offset=null"),
    taken("an offset far past the end", "offset=999999999999999"),
    turnedDown("limit 0", "limit=0", "query.limit"),
    turnedDown("limit 101", "limit=101", "query.limit"),
    turnedDown("an empty limit", "limit=", "query.limit"),
    turnedDown("limit null", "limit=null", "query.limit"),
    turnedDown("a limit that is no integer", "limit=1.5", "query.limit"),
    turnedDown("a limit twice", "limit=1&limit=1", "query.limit"),
    turnedDown("a negative offset", "offset=-1", "query.offset"),
    turnedDown("an offset that is no number", "offset=x", "query.offset"),
    turnedDown("an offset beyond counting", "offset=9999999999999999", "query.offset")
  ]
}

/**
 * What a page of a list promises. `within` says what is listed, `create` makes one item of it and answers its id; `order`: the latest are
 * first.
 */
export const pageCases = (
  operation: OperationId,
  create: (world: World) => Promise<string>,
  within: Within = () => ({}),
  order?: "latestFirst"
): readonly Case[] => [
  ...boundsCases(operation, within),
  {
    name: "in the order of time, then of ids, a page at a time",
    status: 200,
    run: async (world) => {
      const made: { readonly id: string; readonly at: number }[] = []
      for (let moment = 0; moment < 3; moment++) {
        for (let twin = 0; twin < 2; twin++) made.push({ id: await create(world), at: world.installation.clock.now })
        world.installation.clock.now += 1
      }
      const ordered = made.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
      if (order === "latestFirst") ordered.reverse()
      for (let offset = 0; offset <= 7; offset++) {
        const page = await world.call(operation, {
          ...(await within(world)),
          query: { limit: "2", offset: String(offset) }
        })
        assert.deepEqual(
          page.json.data.map((item: { id: string }) => item.id),
          ordered.slice(offset, offset + 2)
        )
        assert.strictEqual(page.json.total_count, 6)
      }
      return world.call(operation, await within(world))
    },
    check: ({ json }) => assert.lengthOf(json.data, 6)
  }
]

const longEntries = 6

/** `create` makes an entry with so many bytes in one of its fields, and answers its id. */
export const fullPageCase = (
  operation: OperationId,
  create: (world: World, bytes: number) => Promise<string>,
  within: Within = () => ({})
): Case => ({
  name: "a page ends at 4 MiB of entries, and the next begins behind them",
  status: 200,
  run: async (world) => {
    const made: string[] = []
    for (let index = 0; index < longEntries; index++) {
      made.push(await create(world, 900_000))
      world.installation.clock.now += 1
    }
    const pages: string[][] = []
    let last = await world.call(operation, { ...(await within(world)), query: { limit: "100" } })
    for (let offset = 0; last.json.data.length > 0 && pages.length < longEntries;) {
      assert.strictEqual(last.json.total_count, longEntries)
      const page = last.json.data.map((item: { id: string }) => item.id)
      pages.push(page)
      offset += page.length
      const query = { limit: "100", offset: String(offset) }
      last = await world.call(operation, { ...(await within(world)), query })
    }
    assert.deepEqual(pages, [made.slice(0, 4), made.slice(4)])
    const whole = await world.call(operation, { ...(await within(world)), query: { limit: "4" } })
    assert.lengthOf(whole.json.data, 4)
    return last
  },
  check: ({ json }) => assert.deepEqual(json, { data: [], total_count: longEntries })
})

/** `create` makes one item in a workspace, the default one if none is given, and answers its id. */
export const listCases = (
  operation: OperationId,
  create: (world: World, workspace_id?: string) => Promise<string>
): readonly Case[] => [
  ...pageCases(operation, create),
  turnedDown(operation, "a malformed workspace", "workspace_id=default", "query.workspace_id"),
  turnedDown(operation, "an empty workspace", "workspace_id=", "query.workspace_id"),
  turnedDown(operation, "a workspace nobody has", `workspace_id=${nobody}`, "query.workspace_id", "unknown_workspace"),
  {
    name: "a workspace of another account",
    status: 400,
    run: async (world) => {
      const other = await world.other()
      await create(other)
      return world.call(operation, { query: { workspace_id: other.workspace_id } })
    },
    check: reasonIs("unknown_workspace")
  },
  {
    name: "the default workspace was deleted",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return world.call(operation)
    },
    check: reasonIs("default_workspace_deleted")
  },
  {
    name: "a deleted workspace",
    status: 400,
    run: async (world) => {
      const made = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
      await create(world, made.json.data.id)
      await world.call("deleteWorkspace", { params: { id: "gone" } })
      return world.call(operation, { query: { workspace_id: made.json.data.id } })
    },
    check: reasonIs("unknown_workspace")
  },
  {
    name: "each workspace on its own, in capitals too, and no other account's",
    status: 200,
    run: async (world) => {
      const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
      const here = await create(world)
      const there = await create(world, second)
      await create(await world.other())
      const named = await world.call(operation, { query: { workspace_id: second.toUpperCase() } })
      assert.deepEqual(
        named.json.data.map((item: { id: string }) => item.id),
        [there]
      )
      assert.strictEqual(named.json.total_count, 1)
      const answer = await world.call(operation)
      assert.deepEqual(
        answer.json.data.map((item: { id: string }) => item.id),
        [here]
      )
      return answer
    }
  }
]
