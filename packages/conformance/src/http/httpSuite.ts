/** Runs every case of every operation against one kind of installation. */
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Layer } from "effect"
import { Installation, type InstallationOptions } from "../Installation.ts"
import type { Case } from "./Case.ts"
import { protocol } from "./protocol.ts"
import { runCase } from "./runCase.ts"
import { suites } from "./suites.ts"

/** The cases of a group ("every request", or an operation) that are to run. */
export type Choose = (cases: readonly Case[], group: string) => readonly Case[]

/** For one more way to mount what passes the whole suite: every status of every operation, once. */
export const oneOfEachStatus: Choose = (cases, group) =>
  group === everyRequest
    ? cases
    : cases.filter(({ status }, index) => cases.findIndex((other) => other.status === status) === index)

/** For many ways to mount: what holds of every request, and of each operation one case that succeeds. */
export const oneOfEachOperation: Choose = (cases, group) =>
  group === everyRequest ? cases : cases.filter(({ status }) => status < 300).slice(0, 1)

const everyRequest = "every request"

/** Declares the whole suite with vitest: a test for each case of each operation, on one installation that the options make. */
export const httpSuite = (
  name: string,
  options: () => InstallationOptions | Promise<InstallationOptions>,
  choose: Choose = (cases) => cases
): void => {
  if (typeof options !== "function")
    throw new TypeError("httpSuite expects a name and a function that answers options: () => ({ store, door })")
  describe(name, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start(requireInstallation(await options()))
    })
    afterAll(() => installation?.stop())

    const group = (title: string, all: readonly Case[]) => {
      const cases = choose(all, title)
      if (cases.length === 0) return
      describe(title, () => {
        for (const each of cases) it(`${each.status} ${each.name}`, () => runCase(installation, each))
      })
    }

    group(everyRequest, protocol)
    for (const { operation, cases } of suites) group(operation, cases)
  })
}

const requireInstallation = (options: InstallationOptions): InstallationOptions => {
  if (!Layer.isLayer((options as InstallationOptions | undefined)?.store))
    throw new TypeError("httpSuite: store must be the layer of a store, such as layerMemory")
  if (typeof options.door !== "function") throw new TypeError("httpSuite: door must be a door, such as fetchDoor")
  return options
}
