/**
 * Of a credential that was deleted, neither the key nor its ciphertext is in any table, nor in what was recorded or kept of the requests
 * that brought it.
 *
 * Rule: byok#deleting. Beside it stays a credential that each search must find, so that no search passes by being blind.
 */
import { fetchDoor } from "@gatewarden/conformance"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Vault, SealedSecrets } from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { canarySearch } from "@gatewarden/testkit/canaries/canarySearch"
import { makeCanaries } from "@gatewarden/testkit/canaries/makeCanaries"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { dumpDatabase } from "@gatewarden/testkit/stores/dumpDatabase"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import type { World } from "@gatewarden/conformance/internal/World"

const [first = "", second = "", staying = ""] = makeCanaries(3, 20_261_123)

let url: string
let installation: Installation
beforeAll(async () => {
  url = await createMigratedDatabase(inject("postgres"))
  installation = await Installation.start({ store: layerPostgresStore({ url: Redacted.make(url) }), door: fetchDoor })
})
afterAll(() => installation?.stop())

const accepted = async (answer: ReturnType<World["call"]>) => {
  const { status, json, text } = await answer
  assert.strictEqual(status, 200, text)
  return json
}

/** The ciphertexts that are stored now, as hexadecimal. */
const ciphertexts = async (): Promise<ReadonlyMap<string, string>> => {
  const rows = await execute(url, "select id, encode(sealed_key, 'hex') as sealed from gatewarden_byok_credential")
  return new Map(rows.map(({ id, sealed }) => [String(id), String(sealed)]))
}

/** Where pieces of a ciphertext are, however a table shows bytes. What follows the nonce is random, and the tag ends it. */
const tablesWith = async (sealed: string): Promise<readonly string[]> => {
  const piece = sealed.slice(-48)
  const written = [piece, Buffer.from(piece, "hex").toString("base64").slice(0, 30)]
  return (await dumpDatabase(url))
    .filter(({ text, bytes }) =>
      [text, ...bytes.map((value) => Buffer.from(value).toString("hex"))].some((shown) =>
        written.some((form) => shown.includes(form))
      )
    )
    .map(({ table }) => table)
}

/** The answers that are kept for repetitions, as they are sent again. */
const keptAnswers = () =>
  installation.run(
    Effect.gen(function* () {
      const kept = yield* (yield* SealedSecrets).page("idempotency_record.answer", { limit: 100 })
      const vault = yield* Vault
      return yield* Effect.forEach(kept, ({ sealed, context }) =>
        Effect.map(vault.openBytes(sealed, context), (bytes) => Buffer.from(Redacted.value(bytes)).toString())
      )
    })
  )

it("leaves neither its key nor a ciphertext of it", async () => {
  const world = await installation.newWorld()
  const bring = async (key: string, name: string) => {
    const call = { body: { key, provider: "openai", name }, headers: { "idempotency-key": name } }
    const made = await accepted(world.call("createByokCredential", call))
    assert.deepEqual(await accepted(world.call("createByokCredential", call)), made)
    return { params: { id: made.data.id as string } }
  }
  const kept = await bring(staying, "staying")
  const gone = await bring(first, "going")
  const before = await ciphertexts()
  await accepted(world.call("updateByokCredential", { ...gone, body: { key: second } }))
  const replaced = await ciphertexts()
  const [old = "", last = "", other = ""] = [
    before.get(gone.params.id),
    replaced.get(gone.params.id),
    replaced.get(kept.params.id)
  ]
  assert.notStrictEqual(old, last)
  for (const sealed of [last, other]) assert.deepEqual(await tablesWith(sealed), ["gatewarden_byok_credential"])

  await accepted(world.call("deleteByokCredential", gone))
  for (const sealed of [old, last]) assert.deepEqual(await tablesWith(sealed), [])
  assert.deepEqual(await tablesWith(other), ["gatewarden_byok_credential"])

  const log = await accepted(world.call("getAuditLog", { query: { noun: "byok_credential" } }))
  const ofGone = log.data.filter(({ entity }: { entity: string }) => entity === gone.params.id)
  assert.deepEqual(
    ofGone.map(({ action }: { action: string }) => action),
    ["delete", "update", "create"]
  )
  assert.isNull(ofGone[0].after)
  assert.include(ofGone[0].before, { name: "going" })
  assert.notProperty(ofGone[0].before, "sealed_key")

  const answers = await keptAnswers()
  assert.isTrue(answers.some((answer) => answer.includes('"going"')))
  const { find } = canarySearch([first, second, staying])
  for (const text of [...answers, JSON.stringify(log), ...(await dumpDatabase(url)).map((table) => table.text)])
    assert.deepEqual(find(text), [])
})
