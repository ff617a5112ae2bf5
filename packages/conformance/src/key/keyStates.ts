/** API keys in states that no list of hashes may name, by what they are. */
import { ApiKeys, newApiKey } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { World } from "../World.ts"

/** The instant of the world, as it is printed. */
export const nowIn = (world: World): string => new Date(world.installation.clock.now).toISOString()

/** The hash of a new API key of the account, expiring when it is told. */
export const newKeyHash = (world: World, fields: { disabled?: boolean; expires_at?: string } = {}): Promise<string> =>
  world.installation.run(
    Effect.gen(function* () {
      const { record } = yield* newApiKey({
        kind: "normal",
        account_id: world.account_id,
        workspace_id: world.workspace_id,
        name: "another",
        ...fields
      })
      yield* (yield* ApiKeys).insert(record)
      return record.hash
    })
  )

const revoked = async (world: World): Promise<string> => {
  const hash = await newKeyHash(world)
  await world.installation.run(Effect.flatMap(ApiKeys, (keys) => keys.remove(world.account_id, hash, nowIn(world))))
  return hash
}

export const unusableKeys: Readonly<Record<string, (world: World) => Promise<string> | string>> = {
  unknown: () => "0".repeat(64),
  foreign: async (world) => (await world.other()).normalKeyHash,
  revoked,
  disabled: (world) => newKeyHash(world, { disabled: true }),
  expired: (world) => newKeyHash(world, { expires_at: nowIn(world) })
}
