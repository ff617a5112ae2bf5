/** What a newcomer reads first. The other pages: `guides.deep.test.ts`. */
import { describe } from "@effect/vitest"
import { firstPages, followPages, pagesWithCommands } from "./followedPages.ts"

describe("a page", () => {
  followPages(pagesWithCommands.filter(({ path }) => firstPages.includes(path)))
})
