/**
 * The doors of every package, as they were reviewed: `api.md` beside each names what is public, with the text of its type.
 *
 * `npm run api` writes them anew; a test fails while one is stale.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { apiReport } from "@gatewarden/testkit/publishing/apiReport"
import { publishedPackages } from "@gatewarden/testkit/publishing/publishedPackages"

const writes = process.env["GATEWARDEN_WRITE_API"] === "1"

describe("the public names of", () => {
  for (const published of publishedPackages)
    it(`${published.manifest.name} are those of its api.md`, () => {
      const report = apiReport(published)
      assert.notInclude(report, "// not found")
      const file = `${published.path}/api.md`
      if (writes) writeFileSync(file, report)
      assert.isTrue(readFileSync(file, "utf8") === report, `${file} is stale: npm run api, and review what changed`)
    })

  it("all packages are at most 500", () => {
    const names = publishedPackages.flatMap((published) => [...apiReport(published).matchAll(/^### /gm)])
    assert.isAtMost(names.length, 500)
  })

  for (const published of publishedPackages)
    it(`${published.manifest.name} are on one door each`, () => {
      const names = Array.from(apiReport(published).matchAll(/^### (.+)$/gm), ([, name]) => name)
      assert.deepEqual(
        names.filter((name, index) => names.indexOf(name) !== index),
        []
      )
    })
})
