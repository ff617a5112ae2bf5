/**
 * The second wall on PostgreSQL alone: row-level security is on, and a proxy takes the account out of every statement of a tenant.
 *
 * Docs: docs/decisions/0011-row-level-security.md
 */
import { httpSuite } from "@gatewarden/conformance"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { beginning, Installation } from "@gatewarden/conformance/internal/Installation"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { makeTenantRole, setPolicies } from "@gatewarden/testkit/stores/tenantRole"
import { tenancyMatrix } from "@gatewarden/testkit/tenancy/tenancyMatrix"
import { tenancySuite } from "@gatewarden/testkit/tenancy/tenancySuite"
import { removePredicates, type Removing } from "@gatewarden/testkit/tenancy/withoutPredicates"

/** Statements of tenants that compare accounts: fewer, and the proxy no longer finds them. */
const leastRewritten = 100

/** What one account learns or does of another where neither predicates nor policies keep them apart. */
const leaking = [
  "getGuardrail",
  "getByokCredential",
  "getDestination",
  "getKey",
  "updateGuardrail",
  "deleteDestination"
].map((operation) => `${operation}: of another account`)

interface Behind {
  readonly direct: string
  readonly proxy: Removing
}

/** A store whose statements of tenants name no account, and where it is. */
const storeWithoutPredicates = (told: (behind: Behind) => void) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const direct = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      yield* Effect.promise(() => makeTenantRole(direct))
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => removePredicates(direct)),
        ({ stop }) => Effect.promise(stop)
      )
      told({ direct, proxy })
      return layerPostgresStore({ url: Redacted.make(proxy.url), rowLevelSecurity: true })
    })
  )

let walled: Behind | undefined
const store = storeWithoutPredicates((behind) => (walled = behind))

tenancySuite("PostgreSQL with row-level security and without predicates", store)
httpSuite("fetch handler on PostgreSQL with row-level security and without predicates", () => ({
  store,
  door: fetchDoor
}))

describe("the proof of row-level security", () => {
  it("takes the account out of the statements", () => {
    assert.isAtLeast(walled?.proxy.rewritten.size ?? 0, leastRewritten)
  })

  describe("with the policies off", () => {
    let installation: Installation
    beforeAll(async () => {
      let behind: Behind | undefined
      installation = await Installation.start({
        store: storeWithoutPredicates((each) => (behind = each)),
        door: fetchDoor
      })
      await setPolicies(behind?.direct ?? "", false)
    })
    afterAll(() => installation?.stop())

    it("leaks what others have", async () => {
      const leaks: string[] = []
      for (const { name, holds } of tenancyMatrix.filter(({ name }) => leaking.includes(name))) {
        installation.clock.now = beginning
        await holds(await installation.newWorld()).catch(() => leaks.push(name))
      }
      assert.strictEqual(leaking.filter((name) => !leaks.includes(name)).join(), "")
    })
  })
})
