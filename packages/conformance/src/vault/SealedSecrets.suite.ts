/** Holds a store to what rotation needs: it finds every sealed value, and replaces none that has changed meanwhile. */
import {
  ByokCredentials,
  Destinations,
  envelopePrefix,
  IdempotencyRecords,
  type SealedField,
  sealedFields,
  sealedPageBytes,
  type SealedSecret,
  SealedSecrets,
  type EncryptionContext,
  type StorePorts,
  checkSecrets,
  createAccount,
  keyIdOf,
  layerVault,
  parseKeyring,
  contextOfConfig,
  contextOfKey,
  rewrapSecrets,
  unscoped,
  Vault
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Redacted } from "effect"
import { destinationIn } from "../stores/accountFixture.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const keyText = (id: string, byte: number): string =>
  `${id}:${btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))}`
/** The second id begins like the first, as an envelope of it does. */
const [first, second, third] = [keyText("k", 1), keyText("k1", 2), keyText("k2", 3)] as const

const vaultOf = (...keys: readonly string[]) => {
  const parsed = parseKeyring(keys.join(","))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return layerVault(parsed.keyring)
}

const credential = (workspace_id: string, id: string) => ({
  id,
  workspace_id,
  provider: "openai",
  ...unscoped,
  name: "kept",
  label: "...",
  created_at: "2026-03-04T12:00:00.000Z"
})

const seal = (text: string, context: EncryptionContext) =>
  Vault.use((vault) => vault.seal(Redacted.make(text), context))

/** An account with `count` credentials, sealed with the vault at hand. */
const prepare = Effect.fnUntraced(function* (count: number) {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const { account, workspace } = made
  const credentials = yield* ByokCredentials
  const rows = yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const row = credential(workspace.id, crypto.randomUUID())
      const context = contextOfKey(account.id, row)
      yield* credentials.insert(account.id, row, yield* seal(row.id, context))
      return { row, context }
    })
  )
  const sealed = Effect.map(credentials.sealed(account.id, workspace.id, "openai"), (list) =>
    list.map(({ id, sealed_key }) => ({
      id,
      sealed_key,
      context: contextOfKey(account.id, { id, workspace_id: workspace.id })
    }))
  )
  return { account, workspace, credentials, rows, sealed }
})

/** Rotates a field to its end; answers how many values were re-encrypted. */
const rotate = Effect.fnUntraced(function* (field: SealedField) {
  let after: EncryptionContext | undefined
  let rewrapped = 0
  do {
    const batch = yield* rewrapSecrets(field, after)
    rewrapped += batch.rewrapped
    after = batch.next
  } while (after !== undefined)
  return rewrapped
})

export const sealedSecretsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`sealed secrets: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) => it(title, () => run(body))

    test(
      "finds a credential by its id, and no other of its provider",
      Effect.gen(function* () {
        const { account, workspace, credentials, rows } = yield* prepare(3).pipe(Effect.provide(vaultOf(first)))
        const found = (provider: string, wanted?: string) =>
          Effect.map(credentials.sealed(account.id, workspace.id, provider, wanted), (list) => list.map(({ id }) => id))
        const ids = rows.map(({ row }) => row.id)
        assert.sameMembers([...(yield* found("openai"))], ids)
        for (const id of ids) assert.deepStrictEqual(yield* found("openai", id), [id])
        assert.deepStrictEqual(yield* found("groq", ids[0]), [])
        assert.deepStrictEqual(yield* found("openai", crypto.randomUUID()), [])
        // The other tests count all that a store has sealed.
        for (const id of ids) yield* credentials.remove(account.id, id)
      })
    )

    test(
      "rewraps what other keys sealed, in batches, and nothing twice",
      Effect.gen(function* () {
        const { sealed, rows } = yield* prepare(450).pipe(Effect.provide(vaultOf(first)))
        const rotated = vaultOf(second, first)
        const field = "byok_credential.key"
        const secrets = yield* SealedSecrets
        assert.strictEqual((yield* secrets.count(field, "k1")).behind, rows.length)
        assert.strictEqual(yield* rotate(field).pipe(Effect.provide(rotated)), rows.length)
        assert.deepStrictEqual(yield* secrets.count(field, "k1"), { total: rows.length, behind: 0 })
        assert.strictEqual(yield* rotate(field).pipe(Effect.provide(rotated)), 0)
        for (const { id, sealed_key, context } of yield* sealed) {
          assert.strictEqual(keyIdOf(sealed_key), "k1")
          const text = yield* Vault.use((vault) => vault.open(sealed_key, context)).pipe(
            Effect.provide(vaultOf(second))
          )
          assert.strictEqual(Redacted.value(text), id)
        }
      })
    )

    test(
      "rewraps the configs of destinations, which stay as they are",
      Effect.gen(function* () {
        const { account, workspace } = yield* prepare(0).pipe(Effect.provide(vaultOf(first)))
        const destinations = yield* Destinations
        const destination = destinationIn(workspace.id)
        const context = contextOfConfig(account.id, destination)
        const sealed = yield* seal("config", context).pipe(Effect.provide(vaultOf(first)))
        yield* destinations.insert(account.id, destination, sealed)
        assert.isAtLeast(yield* rotate("destination.config").pipe(Effect.provide(vaultOf(second, first, third))), 1)
        const found = Option.getOrThrow(yield* destinations.find(account.id, destination.id))
        assert.deepEqual(found.destination, destination)
        const text = yield* Vault.use((vault) => vault.open(found.sealed_config, context)).pipe(
          Effect.provide(vaultOf(second))
        )
        assert.strictEqual(Redacted.value(text), "config")
        const replaced = { replaces: sealed, config: destination.config, sealed_config: sealed, moves: false }
        const late = destinations.update(account.id, destination.id, {}, replaced, destination.updated_at)
        assert.strictEqual(yield* late, "superseded", "whoever read the config before merges again")
      })
    )

    test(
      "keeps what was changed after it was read",
      Effect.gen(function* () {
        const { account, credentials, rows, sealed } = yield* prepare(3).pipe(Effect.provide(vaultOf(second)))
        const secrets = yield* SealedSecrets
        const field = "byok_credential.key"
        const ids = new Set(rows.map(({ row }) => row.id))
        const page = (yield* secrets.page(field, { limit: 10_000 })).filter(({ context }) => ids.has(context.row_id))
        assert.lengthOf(page, 3)
        const changed = page[1] ?? assert.fail()
        const patched = yield* seal("patched", changed.context).pipe(Effect.provide(vaultOf(second)))
        yield* credentials.update(account.id, changed.context.row_id, { sealed_key: patched, label: "..." })
        const changes = yield* Effect.forEach(page, (secret) =>
          Effect.map(seal("rewrapped", secret.context), (resealed) => ({ ...secret, resealed }))
        ).pipe(Effect.provide(vaultOf(third)))
        assert.strictEqual(yield* secrets.replace(field, changes), 2)
        for (const { id, sealed_key } of yield* sealed)
          assert.strictEqual(keyIdOf(sealed_key), id === changed.context.row_id ? "k1" : "k2")
      })
    )

    test(
      "leaves what no key opens, goes on behind it, and tells",
      Effect.gen(function* () {
        const { account, credentials, rows } = yield* prepare(3).pipe(Effect.provide(vaultOf(third)))
        const broken = rows[0] ?? assert.fail()
        const envelope = yield* seal("lost", broken.context).pipe(Effect.provide(vaultOf(keyText("lost", 9))))
        yield* credentials.update(account.id, broken.row.id, { sealed_key: envelope, label: "..." })
        const vault = vaultOf(second, third, first)
        const batch = yield* rewrapSecrets("byok_credential.key", undefined).pipe(Effect.provide(vault))
        assert.isAtLeast(batch.rewrapped, 2)
        assert.strictEqual(batch.unreadable, 1)
        const check = yield* checkSecrets().pipe(Effect.provide(vault))
        assert.strictEqual(check.unreadable, 1)
        assert.deepStrictEqual(check.foreign_key_ids, ["lost"])
        assert.strictEqual((yield* checkSecrets(1).pipe(Effect.provide(vault))).opened <= 3, true)
        yield* credentials.update(account.id, broken.row.id, {
          sealed_key: yield* seal("found", broken.context).pipe(Effect.provide(vault)),
          label: "..."
        })
        assert.strictEqual((yield* checkSecrets().pipe(Effect.provide(vault))).unreadable, 0)
      })
    )

    test(
      "finds answers that are kept, and none that are still to come",
      Effect.gen(function* () {
        const { account } = yield* prepare(0).pipe(Effect.provide(vaultOf(first)))
        const records = yield* IdempotencyRecords
        const secrets = yield* SealedSecrets
        const field = "idempotency_record.answer"
        const scope = { account_id: account.id, key_hash: "a".repeat(64), request_hash: "b".repeat(64) }
        const context = { table: "idempotency_record", field: "answer", account_id: account.id, workspace_id: "" }
        const full = { ...context, row_id: `${scope.key_hash} ${scope.request_hash}` }
        const token = crypto.randomUUID()
        yield* records.claim(scope, token, 5_000)
        assert.deepStrictEqual(yield* secrets.count(field, "k1"), { total: 0, behind: 0 })
        const sealed = yield* seal("answer", full).pipe(Effect.provide(vaultOf(first)))
        yield* records.complete(scope, token, Effect.succeed({ kept: { body_hash: "c", status: 200, sealed } }))
        assert.deepStrictEqual(yield* secrets.page(field, { limit: 5 }), [{ context: full, sealed }])
        assert.strictEqual(yield* rotate(field).pipe(Effect.provide(vaultOf(second, first))), 1)
        const claim = yield* records.claim(scope, crypto.randomUUID(), 5_000)
        if (claim.kind !== "answered") return assert.fail(claim.kind)
        assert.strictEqual(claim.answer.status, 200)
        const text = yield* Vault.use((vault) => vault.open(claim.answer.sealed, full)).pipe(
          Effect.provide(vaultOf(second))
        )
        assert.strictEqual(Redacted.value(text), "answer")
      })
    )

    test(
      "ends a page at two megabytes, so that none is larger however large values are",
      Effect.gen(function* () {
        const { account, credentials, rows } = yield* prepare(7).pipe(Effect.provide(vaultOf(second)))
        const secrets = yield* SealedSecrets
        const setTo = (bytes: number) =>
          Effect.forEach(rows, ({ row }) =>
            credentials.update(account.id, row.id, { sealed_key: new Uint8Array(bytes), label: "..." })
          )
        yield* setTo(900_000)
        const pages: (readonly SealedSecret[])[] = []
        for (;;) {
          const after = pages.at(-1)?.at(-1)?.context
          const page = yield* secrets.page("byok_credential.key", { after, limit: 10_000 })
          if (page.length === 0) break
          pages.push(page)
        }
        yield* setTo(1)
        for (const page of pages) {
          const before = page.slice(0, -1).reduce((sum, { sealed }) => sum + sealed.length, 0)
          assert.isBelow(before, sealedPageBytes)
        }
        const found = pages.flat().map(({ context }) => context.row_id)
        assert.includeMembers(
          found,
          rows.map(({ row }) => row.id)
        )
        assert.strictEqual(new Set(found).size, found.length)
      })
    )

    test(
      "pages each field to its end, in one order, and has no value under a foreign place",
      Effect.gen(function* () {
        const { rows } = yield* prepare(7).pipe(Effect.provide(vaultOf(second)))
        const secrets = yield* SealedSecrets
        for (const field of sealedFields) {
          const all = (yield* secrets.page(field, { limit: 10_000 })).map(({ context }) => context.row_id)
          const paged: string[] = []
          let after: EncryptionContext | undefined
          for (;;) {
            const page = yield* secrets.page(field, { after, limit: 2 })
            if (page.length === 0) break
            paged.push(...page.map(({ context }) => context.row_id))
            after = page.at(-1)?.context
          }
          assert.deepStrictEqual(paged, all)
          assert.strictEqual(new Set(all).size, all.length)
          assert.strictEqual((yield* secrets.count(field, "nobody")).behind, all.length)
        }
        const [a, b] = rows
        if (a === undefined || b === undefined) return assert.fail()
        const [secret] = (yield* secrets.page("byok_credential.key", { limit: 10_000 })).filter(
          ({ context }) => context.row_id === a.row.id
        )
        if (secret === undefined) return assert.fail()
        const swapped = { ...secret, context: b.context, resealed: envelopePrefix("x") }
        assert.strictEqual(yield* secrets.replace("byok_credential.key", [swapped]), 0)
        assert.isTrue(
          Option.isSome(
            yield* Effect.option(
              Vault.use((vault) => vault.open(secret.sealed, a.context)).pipe(Effect.provide(vaultOf(second)))
            )
          )
        )
      })
    )
  })
}
