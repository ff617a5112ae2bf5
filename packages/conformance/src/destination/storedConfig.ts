import { openConfig, contextOfConfig, Destinations } from "@gatewarden/core/internal"
import { Effect, Option, Redacted } from "effect"
import type { World } from "../World.ts"

/** The config that the ciphertext of a destination holds, which no answer shows. */
export const storedConfig = (world: World, id: string): Promise<unknown> =>
  world.installation.run(
    Effect.gen(function* () {
      const { destination, sealed_config } = Option.getOrThrow(yield* (yield* Destinations).find(world.account_id, id))
      return Redacted.value(yield* openConfig(sealed_config, contextOfConfig(world.account_id, destination)))
    })
  )
