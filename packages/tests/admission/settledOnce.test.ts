/** Filter rules may take long: a settlement with an `Idempotency-Key` judges them before its transaction. Rule: requests#idempotency-keys. */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { Destinations, IdempotencyRecords } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { report } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { heldAdmission } from "@gatewarden/conformance/internal/admission/renewAdmission.cases"
import { everyStore } from "@gatewarden/testkit/stores/stores"

describe.each(everyStore)("a settlement with an Idempotency-Key on %s", (_, layer) => {
  it("selects its deliveries before the transaction, and answers once", async () => {
    const log: string[] = []
    const store = Layer.effectContext(
      Effect.map(Layer.build(layer), (services) => {
        const destinations = Context.get(services, Destinations)
        const records = Context.get(services, IdempotencyRecords)
        return services.pipe(
          Context.add(Destinations, {
            ...destinations,
            receiving: (...asked) =>
              Effect.suspend(() => {
                log.push("receiving")
                return destinations.receiving(...asked)
              })
          }),
          Context.add(IdempotencyRecords, {
            ...records,
            complete: (...asked) =>
              Effect.suspend(() => {
                log.push("transaction")
                return records.complete(...asked)
              })
          })
        )
      })
    )
    const installation = await Installation.start({ store, door: fetchDoor })
    const world = await installation.newWorld()
    const id = await heldAdmission(world)
    log.length = 0
    const settle = () =>
      world.call("settleAdmission", {
        params: { id },
        body: report(world, "0.125"),
        headers: { "idempotency-key": "once" }
      })
    const first = await settle()
    assert.deepEqual(log, ["receiving", "transaction"])
    const second = await settle()
    assert.deepEqual([first.status, second.status], [200, 200], first.text)
    assert.deepEqual([second.text, second.headers.get("idempotent-replayed")], [first.text, "true"])
    await installation.stop()
  })
})
