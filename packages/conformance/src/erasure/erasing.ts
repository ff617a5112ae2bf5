/** What the background does for erasures. */
import { backgroundJobs, type Vault } from "@gatewarden/core/effect"
import { defaultRetention, type StorePorts } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { World } from "../World.ts"

/** A batch; 0 when no erasure is due. */
export const erasureBatch: Effect.Effect<number, never, StorePorts | Vault> = Effect.suspend(() => {
  const job = backgroundJobs(defaultRetention).find(({ name }) => name === "erasures")
  return job === undefined ? Effect.die(new Error("no such job")) : Effect.map(job.batch(null), ({ value }) => value)
})

/** As many batches as there are, which is fewer than a thousand. */
export const eraseAll = Effect.gen(function* () {
  for (let batches = 0; batches < 1_000; batches++) if ((yield* erasureBatch) === 0) return batches
  return yield* Effect.die(new Error("It does not end"))
})

/** Of every account of the installation. */
export const eraseDue = (world: World): Promise<number> => world.installation.run(eraseAll)
