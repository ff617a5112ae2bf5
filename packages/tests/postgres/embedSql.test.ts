/** The module that the build writes from the `.sql` files. */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { embeddedSql } from "../../postgres/build/embedSql.js"

it("is current: run npm run sql after a change of a .sql file", () => {
  assert.strictEqual(
    readFileSync(new URL("../../postgres/src/embedded/sqlTexts.ts", import.meta.url), "utf8"),
    embeddedSql()
  )
})
