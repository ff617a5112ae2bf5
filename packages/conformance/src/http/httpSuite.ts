/** Runs every case of every operation against one kind of installation. */
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Installation, type InstallationOptions } from "../Installation.ts"
import type { Case } from "./Case.ts"
import { protocol } from "./protocol.ts"
import { runCase } from "./runCase.ts"
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
        for (const each of cases) it(`${each.status} ${each.name}`, () => runCase(installation, each))
      })

    group("every request", protocol)
    for (const { operation, cases } of suites) group(operation, cases)
  })
}
