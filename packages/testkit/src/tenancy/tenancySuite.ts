/** Runs the matrix of tenancy against one store. */
import type { StorePorts } from "@gatewarden/core/store"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { beginning, Installation } from "@gatewarden/conformance/internal/Installation"
import { tenancyMatrix } from "./tenancyMatrix.ts"

export const tenancySuite = (name: string, store: Layer.Layer<StorePorts, unknown>): void => {
  describe(`what others have, on ${name}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store, door: fetchDoor })
    })
    afterAll(() => installation?.stop())

    for (const { name: title, holds } of tenancyMatrix)
      it(title, async () => {
        installation.clock.now = beginning
        await holds(await installation.newWorld())
      })
  })
}
