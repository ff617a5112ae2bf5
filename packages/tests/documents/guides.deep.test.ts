import { assert, describe, it } from "@effect/vitest"
import { firstPages, followPages, pagesWithCommands } from "./followedPages.ts"

describe("a page", () => {
  it("is among those with commands", () => {
    assert.isAbove(pagesWithCommands.length, 25)
    assert.includeMembers(
      pagesWithCommands.map(({ path }) => path),
      [...firstPages]
    )
  })

  followPages(pagesWithCommands.filter(({ path }) => !firstPages.includes(path)))
})
