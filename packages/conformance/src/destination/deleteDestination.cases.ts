import { SealedSecrets, sealedFields, Vault } from "@gatewarden/core/internal"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type CasesOf, managementOnly, outcomeUnknown, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { destinationConfigs } from "./destinationConfigs.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const { sent: config } = destinationConfigs.langfuse
const body = { type: "langfuse", config: { ...config, headers: { Authorization: "Bearer 0123456789abcdefghij" } } }

const make = async (world: World, headers = {}): Promise<string> =>
  (await world.call("createDestination", { body, headers })).json.data.id

const remove = (world: World, id: string, headers = {}) => world.call("deleteDestination", { params: { id }, headers })

/** Everything of the account that the store keeps encrypted, in plain text. */
const secretsOf = (world: World): Promise<readonly string[]> =>
  world.installation.run(
    Effect.gen(function* () {
      const vault = yield* Vault
      const secrets = yield* SealedSecrets
      const pages = yield* Effect.forEach(sealedFields, (field) => secrets.page(field, { limit: 10_000 }))
      return yield* Effect.forEach(
        pages.flat().filter(({ context }) => context.account_id === world.account_id),
        ({ context, sealed }) => Effect.map(Effect.orDie(vault.open(sealed, context)), Redacted.value)
      )
    })
  )

export const deleteDestination: CasesOf = {
  operation: "deleteDestination",
  cases: [
    {
      name: "with its secrets, also those of answers that are kept",
      status: 200,
      run: async (world) => {
        const id = await make(world, { "idempotency-key": "once" })
        const before = await secretsOf(world)
        const secrets = [config["publicKey"], config["secretKey"], "0123456789abcdefghij"]
        for (const secret of secrets)
          assert.isTrue(before.join().includes(String(secret)), "is found while it is there")
        const answer = await remove(world, id.toUpperCase())
        const after = await secretsOf(world)
        assert.lengthOf(after, 1, "the kept answer")
        for (const secret of secrets) assert.isFalse(after.join().includes(String(secret)))
        assert.strictEqual((await world.call("getDestination", { params: { id } })).status, 404)
        assert.strictEqual((await world.call("updateDestination", { params: { id }, body: { name: "x" } })).status, 404)
        assert.strictEqual((await world.call("updateDestination", { params: { id }, body: { config } })).status, 404)
        assert.deepEqual((await world.call("listDestinations")).json, { data: [], total_count: 0 })
        assert.strictEqual((await remove(world, id)).status, 404)
        return answer
      },
      check: ({ json }) => assert.deepEqual(json, { deleted: true })
    },
    {
      name: "a place of its type is free again",
      status: 200,
      run: async (world) => {
        const ids = []
        for (let count = 0; count < 5; count++) ids.push(await make(world))
        assert.strictEqual((await world.call("createDestination", { body })).status, 409)
        const answer = await remove(world, ids[2] ?? nobody)
        const answers = await Promise.all(Array.from({ length: 6 }, () => world.call("createDestination", { body })))
        assert.lengthOf(
          answers.filter(({ status }) => status === 200),
          1
        )
        assert.strictEqual((await world.call("listDestinations")).json.total_count, 5)
        return answer
      }
    },
    {
      name: "twice at once: one deletes it",
      status: 404,
      run: async (world) => {
        const id = await make(world)
        const answers = await Promise.all([remove(world, id), remove(world, id), remove(world, id)])
        assert.sameMembers(
          answers.map(({ status }) => status),
          [200, 404, 404]
        )
        return answers.find(({ status }) => status === 404) ?? assert.fail()
      }
    },
    ...managementOnly("deleteDestination", () => ({ params: { id: nobody } })),
    { name: "unknown", status: 404, run: (world) => remove(world, nobody) },
    { name: "malformed", status: 404, run: (world) => remove(world, "webhook") },
    {
      name: "of another account, which keeps it; alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const id = await make(other)
        const headers = { "x-request-id": "same" }
        const hidden = await remove(world, id, headers)
        assert.strictEqual(hidden.text, (await remove(world, nobody, headers)).text)
        assert.strictEqual((await other.call("getDestination", { params: { id } })).status, 200)
        return hidden
      }
    },
    storeGone("Destinations", 500, (world) => remove(world, nobody)),
    outcomeUnknown("Destinations", (world) => remove(world, nobody))
  ]
}
