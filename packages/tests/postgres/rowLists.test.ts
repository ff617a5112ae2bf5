/** A catalog on its way to PostgreSQL: in statements that are short each, rows in the order in which all lock them. */
import { assert, describe, it } from "@effect/vitest"
import type { CatalogModel } from "@gatewarden/contract"
import { rowLists } from "../../postgres/src/adapters/ModelCatalog.ts"

describe("rows of a catalog", () => {
  it("are written out one by one, and go in lists of some 256 KiB, in the order of their ids", () => {
    const models = Array.from({ length: 2_000 }, (_, at) => ({
      id: `a/${(at * 7) % 2_000}`
    })) as unknown as CatalogModel[]
    const steps = rowLists(models, ({ id }) => ({ id, description: "x".repeat(1_000) }))
    let count = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done !== true) {
        count++
        continue
      }
      const rows = step.value.map((list) => JSON.parse(list) as { readonly id: string }[])
      assert.isAtLeast(rows.length, 8)
      for (const list of step.value) assert.isAtMost(list.length, 265_000)
      assert.deepStrictEqual(
        rows.flat().map(({ id }) => id),
        models.map(({ id }) => id).sort()
      )
      break
    }
    assert.strictEqual(count, 2_000)
  })
})
