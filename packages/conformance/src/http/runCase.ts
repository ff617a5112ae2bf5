/** Runs one case in a new account of an installation. */
import { assert } from "@effect/vitest"
import { beginning } from "../beginning.ts"
import type { Installation } from "../Installation.ts"
import type { Case } from "./Case.ts"

export const runCase = async (installation: Installation, { status, run, check }: Case): Promise<void> => {
  // Each case begins at the same instant, whatever the cases before it did to the clock.
  installation.clock.now = beginning
  const world = await installation.newWorld()
  const answer = await run(world)
  assert.strictEqual(answer.status, status, answer.text)
  await check?.(answer, world)
}
