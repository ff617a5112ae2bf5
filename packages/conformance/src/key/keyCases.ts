/** What every operation on one key promises of the hash in its path. */
import type { OperationId } from "@gatewarden/contract"
import type { Call } from "../World.ts"
import { type Case, managementOnly } from "../http/Case.ts"
import { sha256Hex } from "../http/sha256.ts"

const nobody = "0".repeat(64)

export const keyCases = (operation: OperationId, call: Pick<Call, "body"> = {}): readonly Case[] => {
  const at = (hash: string) => ({ ...call, params: { hash } })
  return [
    ...managementOnly(operation, () => at(nobody)),
    { name: "an unknown hash", status: 404, run: (world) => world.call(operation, at(nobody)) },
    { name: "a malformed hash", status: 404, run: (world) => world.call(operation, at("nope")) },
    {
      name: "a hash in capitals",
      status: 404,
      run: (world) => world.call(operation, at(world.normalKeyHash.toUpperCase()))
    },
    {
      name: "a key of another account",
      status: 404,
      run: async (world) => world.call(operation, at((await world.other()).normalKeyHash))
    },
    {
      name: "a management key",
      status: 404,
      run: async (world) => world.call(operation, at(await sha256Hex(world.managementKey)))
    },
    {
      name: "a key that was deleted",
      status: 404,
      run: async (world) => {
        await world.call("deleteKey", { params: { hash: world.normalKeyHash } })
        return world.call(operation, at(world.normalKeyHash))
      }
    }
  ]
}
