/** Runs every case of every operation against one kind of installation. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { beginning, Installation, type InstallationOptions } from "../Installation.ts"
import type { Case } from "./Case.ts"
import { protocol } from "./protocol.ts"
import { suites } from "./suites.ts"

export const httpSuite = (name: string, options: () => InstallationOptions | Promise<InstallationOptions>): void => {
  describe(name, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start(await options())
    })
    afterAll(() => installation?.stop())

    const group = (title: string, cases: readonly Case[]) =>
      describe(title, () => {
        for (const { name, status, run, check } of cases)
          it(`${status} ${name}`, async () => {
            // Each case begins at the same instant, whatever the cases before it did to the clock.
            installation.clock.now = beginning
            const world = await installation.newWorld()
            // The keys of a new account are known to the cache, so that a broken store is met by the operation itself.
            await world.send("GET", "/workspaces/default")
            await world.send("GET", "/workspaces/default", { key: world.normalKey })
            const answer = await run(world)
            assert.strictEqual(answer.status, status, answer.text)
            await check?.(answer, world)
          })
      })

    group("every request", protocol)
    for (const { operation, cases } of suites) group(operation, cases)
  })
}
