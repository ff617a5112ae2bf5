/** A page of users costs no more than so many groups, however many groups each of them is in. Rule: scim#lists. */
import { scimLimits } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { DirectoryGroups, DirectoryUsers } from "@gatewarden/core/store"
import { Effect } from "effect"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { directoryGroupOf, directoryUserOf, settling } from "@gatewarden/conformance/internal/stores/accountFixture"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"
import type { World } from "@gatewarden/conformance/internal/World"

const perGroup = 100
/** One more than a page may have, with `perGroup` users in each group. */
const groups = scimLimits.members / perGroup + 1

const furnish = (world: World) =>
  world.installation.run(
    Effect.gen(function* () {
      const [users, all] = [yield* DirectoryUsers, yield* DirectoryGroups]
      const people = Array.from({ length: perGroup }, (_, index) => ({
        ...directoryUserOf(`user ${index}`),
        created_at: new Date(Date.parse("2026-03-04T12:00:00.000Z") + index).toISOString()
      }))
      for (const user of people) yield* users.insert(world.account_id, user, settling)
      const ids = people.map(({ id }) => id)
      for (let index = 0; index < groups; index++)
        yield* all.insert(world.account_id, directoryGroupOf(`group ${index}`), ids, settling)
      return ids
    })
  )

describe("pages of users of a directory", () => {
  for (const kind of ["memory", "PGlite"] as const satisfies readonly StoreKind[])
    it(`end before their groups are too many: ${kind}`, { tags: ["deep"] }, async () => {
      const installation = await Installation.start({ store: stores[kind], door: fetchDoor })
      const world = await installation.newWorld()
      const ids = await furnish(world)
      const page = async (query: Readonly<Record<string, string>>) => {
        const answer = await world.call("listDirectoryUsers", { query })
        assert.strictEqual(answer.status, 200, answer.text.slice(0, 500))
        return answer.json
      }
      const first = await page({})
      assert.deepInclude(first, { totalResults: perGroup, startIndex: 1, itemsPerPage: perGroup - 1 })
      for (const [index, user] of first.Resources.entries()) {
        assert.strictEqual(user.id, ids[index])
        assert.lengthOf(user.groups, groups)
      }
      const rest = await page({ startIndex: String(perGroup) })
      assert.deepInclude(rest, { totalResults: perGroup, itemsPerPage: 1 })
      assert.lengthOf(rest.Resources[0].groups, groups)
      assert.lengthOf((await page({ excludedAttributes: "groups" })).Resources, perGroup)
      const members = ids.map((id) => `members.value eq "${id}"`)
      const few = await world.call("listDirectoryGroups", {
        query: { filter: members.slice(0, 2).join(" or "), excludedAttributes: "members", count: "1" }
      })
      assert.deepInclude(few.json, { totalResults: groups, itemsPerPage: 1 })
      await installation.stop()
    })
})
