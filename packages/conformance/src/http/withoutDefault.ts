import { assert } from "@effect/vitest"
import type { World } from "../World.ts"

/** Deletes the default workspace of the account. */
export const withoutDefault = async (world: World): Promise<void> => {
  const query = { confirm_default_workspace_deletion: "true" }
  const deleted = await world.call("deleteWorkspace", { params: { id: "default" }, query })
  assert.strictEqual(deleted.status, 200)
}
