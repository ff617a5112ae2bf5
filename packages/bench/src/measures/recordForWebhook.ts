/** Recording usage in a workspace with an enabled webhook, beside one without: what selecting and streaming cost. */
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { chatEvent, openDeliveryScene, startPlatform } from "../deliveryScene.ts"
import type { Contender, Race } from "../Measure.ts"

const race = (name: string, atOnce: number, inFlight: number): Race => ({
  kind: "race",
  name: `Record usage with a webhook, ${name}; events`,
  atLeast: 0.9,
  open: async (bench) => {
    const platform = await startPlatform()
    const scene = await openDeliveryScene(bench)
    const [received, unheard] = [await scene.newTenant(), await scene.newTenant()]
    await scene.newWebhook(received, platform.url)
    let recorded = 0
    const recording =
      (tenant: typeof received): Contender =>
      async (millis) => {
        const begun = performance.now()
        let done = 0
        const next = async () => {
          while (performance.now() - begun < millis) {
            const from = recorded
            recorded += atOnce
            await scene.record(
              tenant,
              Array.from({ length: atOnce }, (_, index) => chatEvent(`gen-${from + index}`, index))
            )
            done += atOnce
          }
        }
        await Promise.all(Array.from({ length: inFlight }, next))
        const perSecond = (done * 1_000) / (performance.now() - begun)
        // What nobody delivers here; a stream that is delivered is short.
        await execute(scene.databaseUrl, "truncate gatewarden_delivery")
        return perSecond
      }
    // Plans that were made while the tables were empty are not those of a server that runs.
    await recording(received)(1_000)
    await execute(scene.databaseUrl, "analyze")
    return {
      ours: recording(received),
      bare: { "without one": recording(unheard) },
      close: async () => {
        await scene.close()
        await platform.stop()
      }
    }
  }
})

export const recordForWebhook: readonly Race[] = [
  race("1,000 in a request", 1_000, 1),
  race("one in a request, 32 connections", 1, 32)
]
