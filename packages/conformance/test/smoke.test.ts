import { assert, it } from "@effect/vitest"
import { inject } from "vitest"
import { createDatabase } from "../../conformance/src/stores/postgresServer.ts"
it("smoke", async () => {
  const t = performance.now()
  console.log(inject("postgres"), inject("pgliteSnapshot"))
  console.log(await createDatabase(inject("postgres")), performance.now() - t)
})
