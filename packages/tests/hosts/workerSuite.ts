/** The HTTP suite inside the real workerd: what passes here needs nothing that a Worker lacks. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import type { Choose } from "@gatewarden/conformance/internal/http/httpSuite"
import { startFileProviders } from "@gatewarden/conformance/internal/file/fileProviders"
import { bundleForWorker } from "@gatewarden/testkit/worker/bundleForWorker"
import { startBundle } from "@gatewarden/testkit/worker/startBundle"
import type { Workerd } from "@gatewarden/testkit/worker/workerd"
import { workerCases } from "@gatewarden/testkit/worker/workerCases"

const below = (folder: string) => (path: string) =>
  fileURLToPath(new URL(`../../${folder}/src/${path}`, import.meta.url))
const conformance = below("conformance")
const testkit = below("testkit")

/** What vitest's assertions are made of, without the rest of it. */
const chai = createRequire(createRequire(import.meta.url).resolve("vitest/package.json")).resolve("chai")

const standIns = {
  "@effect/vitest": chai,
  "@gatewarden/node/effect": testkit("worker/standIns.ts"),
  [conformance("file/fileProviders.ts")]: testkit("worker/standIns.ts"),
  [conformance("federation/tokenIssuers.ts")]: testkit("worker/noTokenIssuers.ts")
}

/** The chosen cases, each sent to the Worker by its place among all of them. */
export const workerSuite = (choose: Choose): void => {
  describe("in a Worker on the memory store", () => {
    const scope = Scope.makeUnsafe()
    let workerd: Workerd
    beforeAll(async () => {
      const [bundle, upstream] = await Promise.all([
        bundleForWorker({ entry: testkit("worker/suiteWorker.ts"), standIns }),
        Effect.runPromise(Scope.provide(startFileProviders, scope))
      ])
      workerd = await startBundle(bundle, {
        configuration: testkit("worker/suite.capnp"),
        environment: { UPSTREAM: upstream.origin }
      })
    })
    afterAll(async () => {
      await workerd?.stop()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    for (const [group, { title, cases }] of workerCases.entries())
      describe(title, () => {
        const chosen = new Set(choose(cases, title))
        for (const [index, one] of cases.entries())
          if (chosen.has(one))
            it(`${one.status} ${one.name}`, async () => {
              const answer = await fetch(`${workerd.origin}/?group=${group}&index=${index}`)
              assert.strictEqual(answer.status, 204, `${await answer.text()}\n${workerd.output()}`)
            })
      })
  })
}
