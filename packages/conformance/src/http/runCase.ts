/** Runs one case in a new account of an installation. */
import { assert } from "@effect/vitest"
import { beginning, type Installation } from "../Installation.ts"
import type { Case } from "./Case.ts"

export const runCase = async (installation: Installation, { status, run, check }: Case): Promise<void> => {
  // Each case begins at the same instant, whatever the cases before it did to the clock.
  installation.clock.now = beginning
  const world = await installation.newWorld()
  // The keys of a new account are known to the cache, so that a broken store is met by the operation itself.
  await world.send("GET", "/workspaces/default")
  await world.send("GET", "/workspaces/default", { key: world.normalKey })
  await world.send("GET", "/workspaces/default", { key: world.operatorKey })
  await world.send("GET", "/workspaces/default", { key: world.gatewayKey })
  const answer = await run(world)
  assert.strictEqual(answer.status, status, answer.text)
  await check?.(answer, world)
}
