/** Holds a whole instance to what it promises of kept bodies, over any store. Rule: usage#prompt-logging. */
import type { RecordUsageEvents, SentUsageEvent } from "@gatewarden/contract/internal"
import {
  actingAs,
  getGenerationContent,
  importUsageEvents,
  layerInstance,
  layerVault,
  newApiKey,
  parseKeyring,
  recordUsageEvents,
  rewrapSecrets,
  type Services,
  ApiKeys,
  type Caller,
  defaultStorageLimits,
  Generations,
  Retention,
  SealedSecrets,
  type EncryptionContext,
  StorageSettings,
  StoredAmounts,
  type StorePorts,
  UsageLog,
  Workspaces
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, References, Stream } from "effect"
import { callerOf } from "../delivery/deliverySuite.ts"
import { newTenant, type Tenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { sentEvent } from "../usage/sentEvent.ts"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"

const start = Date.parse("2026-03-04T12:00:00.000Z")
const dayMillis = 86_400_000
const field = "generation_content.bodies"

interface Logging extends Tenant {
  readonly hash: string
}

/** A workspace that keeps bodies, with a key. */
export const newLogging = Effect.gen(function* () {
  const tenant = yield* newTenant
  const { account_id, workspace_id } = tenant
  const at = new Date(start).toISOString()
  yield* (yield* Workspaces).update(account_id, workspace_id, { is_observability_io_logging_enabled: true }, at)
  const { record } = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "logged" })
  yield* (yield* ApiKeys).insert(record)
  return { ...tenant, hash: record.hash } satisfies Logging
})

export const sentBy = ({ hash }: Logging, id: string, fields: Partial<SentUsageEvent> = {}): SentUsageEvent =>
  sentEvent(id, { api_key_hash: hash, input: `input of ${id}`, output: `output of ${id}`, ...fields })

export const recordSent = (
  tenant: Tenant,
  events: readonly SentUsageEvent[]
): Effect.Effect<unknown, unknown, Services> =>
  recordUsageEvents(callerOf(tenant), { kind: "value", value: { events: [...events] } satisfies RecordUsageEvents })

const sealed = Effect.flatMap(SealedSecrets, (secrets) => secrets.page(field, { limit: 10_000 }))

const keptOf = ({ account_id }: Tenant) =>
  Effect.map(sealed, (found) =>
    found.filter(({ context }) => context.account_id === account_id).map(({ context }) => context.row_id)
  )

const rotate = Effect.gen(function* () {
  let after: EncryptionContext | undefined
  do after = (yield* rewrapSecrets(field, after)).next
  while (after !== undefined)
})

export const keptContentsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`kept bodies on ${name}`, () => {
    const clock = { now: start }
    const run = storeUnderTest(() => layerInstance(makeStore(), testKeyring), clock)
    const test = (title: string, body: (logging: Logging) => Effect.Effect<void, unknown, Services>) =>
      it(title, async () => {
        clock.now = start
        await run(Effect.flatMap(newLogging, body))
      })

    const read = (tenant: Tenant, id: string) => getGenerationContent(callerOf(tenant), id)

    test("lines that are staged are kept with their event, and a duplicate changes none", (logging) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 2_500 }, (_, index) => `line-${index}`)
        const lines = [...ids.map((id) => sentBy(logging, id)), sentBy(logging, "line-7", { input: "changed" })]
        const recorded = yield* recordUsageEvents(callerOf(logging), {
          kind: "lines",
          lines: Stream.grouped(Stream.fromIterable(lines), 1_000)
        })
        assert.deepEqual(recorded, { accepted: ids.length, duplicates: 1 })
        assert.sameMembers(yield* keptOf(logging), ids)
        assert.deepEqual((yield* read(logging, "line-7")).input, { prompt: "input of line-7" })
        assert.deepEqual((yield* read(logging, "line-2499")).output, {
          completion: "output of line-2499",
          reasoning: null
        })
      }))

    test("a request that fails keeps nothing", (logging) =>
      Effect.gen(function* () {
        const broken = Stream.concat(
          Stream.grouped(
            Stream.fromIterable(Array.from({ length: 2_500 }, (_, index) => sentBy(logging, `lost-${index}`))),
            1_000
          ),
          Stream.fail("broken" as const)
        )
        const exit = yield* Effect.exit(
          recordUsageEvents(callerOf(logging), {
            kind: "lines",
            lines: broken as unknown as Stream.Stream<readonly SentUsageEvent[]>
          })
        )
        assert.strictEqual(exit._tag, "Failure")
        assert.isEmpty(yield* keptOf(logging))
      }))

    test("an import of the past keeps nothing", (logging) =>
      Effect.gen(function* () {
        yield* importUsageEvents(callerOf(logging), [sentBy(logging, "imported")])
        assert.isEmpty(yield* keptOf(logging))
      }))

    test("bodies are kept up to the quota, of which API keys may use half, and behind it events without bodies", (logging) =>
      Effect.gen(function* () {
        const { account_id } = logging
        const amount = Effect.flatMap(StoredAmounts, (port) => port.kept(account_id, null, "generation_content"))
        const recorded = Effect.flatMap(UsageLog, (log) =>
          log.recordedOf(
            account_id,
            ["a", "b", "c", "d", "e", "f", "g"].map((letter) => `full-${letter}`)
          )
        )
        const send = (caller: Caller, bytes: number, ...letters: string[]) =>
          recordUsageEvents(caller, {
            kind: "lines",
            lines: Stream.fromIterable(letters.map((letter) => [sentBy(logging, `full-${letter}`)]))
          }).pipe(
            Effect.provideService(StorageSettings, { ...defaultStorageLimits, body_bytes_per_account: bytes }),
            Effect.provideService(References.MinimumLogLevel, "None")
          )
        const management = callerOf(logging)
        const apiKey: Caller = { ...management, kind: "normal", workspace_id: logging.workspace_id }

        yield* send(management, 10_000, "a")
        const one = (yield* amount).bytes
        assert.isAbove(one, 50)
        yield* send(apiKey, 4 * one, "b", "c")
        assert.deepEqual(yield* amount, { rows: 2, bytes: 2 * one })
        // One request counts what it has taken itself.
        yield* send(management, 4 * one - 1, "d", "e")
        assert.deepEqual(yield* amount, { rows: 3, bytes: 3 * one })
        yield* send(management, 4 * one, "f", "g")
        assert.deepEqual(yield* amount, { rows: 4, bytes: 4 * one })
        assert.sameMembers(
          yield* keptOf(logging),
          ["a", "b", "d", "f"].map((letter) => `full-${letter}`)
        )
        assert.strictEqual((yield* recorded).size, 7)
        yield* rotate
        assert.deepEqual(yield* amount, { rows: 4, bytes: 4 * one })
        clock.now += 100 * dayMillis
        yield* actingAs(
          { actor: { type: "server", id: null }, operation: "generation_contents" },
          Effect.flatMap(Retention, (retention) => retention.sweep("generation_contents", 0, 10_000))
        )
        assert.deepEqual(yield* amount, { rows: 0, bytes: 0 })
      }))

    test("a session is kept as a whole or not at all, and a higher rate only adds", (logging) =>
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const at = new Date(start).toISOString()
        const keptAt = Effect.fnUntraced(function* (rate: number) {
          const change = { io_logging_sampling_rate: rate }
          yield* workspaces.update(logging.account_id, logging.workspace_id, change, at)
          const events = Array.from({ length: 400 }, (_, index) =>
            sentBy(logging, `${rate}-${index}`, { session_id: `session ${Math.floor(index / 2)}` })
          )
          // A process that did not make the change learns of it within this time.
          clock.now += 10_000
          yield* recordSent(logging, events)
          const kept = new Set(
            (yield* keptOf(logging))
              .filter((id) => id.startsWith(`${rate}-`))
              .map((id) => Number(id.slice(`${rate}-`.length)))
          )
          for (const index of kept) assert.isTrue(kept.has(index ^ 1), `session of ${index}`)
          return kept
        })
        const some = yield* keptAt(0.25)
        const more = yield* keptAt(0.75)
        const all = yield* keptAt(1)
        for (const index of some) assert.isTrue(more.has(index))
        assert.isAbove(some.size, 50)
        assert.isBelow(some.size, 150)
        assert.isAbove(more.size, 250)
        assert.isBelow(more.size, 350)
        assert.strictEqual(all.size, 400)
      }))

    test("retention removes what is old, a bounded part at a time, and all of a deleted workspace", (logging) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        // What other tests left.
        clock.now += 100 * dayMillis
        const sweep = (seconds: number, atMost: number) =>
          // As background work does it.
          actingAs(
            { actor: { type: "server", id: null }, operation: "generation_contents" },
            retention.sweep("generation_contents", seconds, atMost)
          )
        while ((yield* sweep(0, 10_000)) > 0);
        yield* recordSent(
          logging,
          ["a", "b", "c"].map((id) => sentBy(logging, id))
        )
        clock.now += 10 * dayMillis
        yield* recordSent(logging, [sentBy(logging, "new")])
        const keep = (5 * dayMillis) / 1_000
        assert.strictEqual(yield* sweep(keep, 2), 2)
        assert.strictEqual(yield* sweep(keep, 2), 1)
        assert.strictEqual(yield* sweep(keep, 2), 0)
        assert.deepEqual(yield* keptOf(logging), ["new"])
        const options = { force: true, now: new Date(clock.now).toISOString() }
        assert.strictEqual(
          yield* (yield* Workspaces).remove(logging.account_id, logging.workspace_id, options),
          "removed"
        )
        assert.isTrue(Option.isNone(yield* (yield* Generations).findContent(logging.account_id, "new")))
        assert.strictEqual(yield* sweep(keep, 2), 1)
        assert.isEmpty(yield* keptOf(logging))
      }))

    test("a rotation of keys finds them, and they stay what they are", (logging) =>
      Effect.gen(function* () {
        yield* recordSent(logging, [sentBy(logging, "kept")])
        const keyText = (id: string, byte: number) =>
          `${id}:${btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))}`
        // The second is that of `testKeyring`.
        const rotated = parseKeyring(`${keyText("next", 9)},${keyText("test", 7)}`)
        if ("problem" in rotated) return assert.fail(rotated.problem)
        const vault = layerVault(rotated.keyring)
        yield* rotate.pipe(Effect.provide(vault))
        assert.strictEqual((yield* (yield* SealedSecrets).count(field, "next")).behind, 0)
        const { input } = yield* Effect.provide(read(logging, "kept"), vault)
        assert.deepEqual(input, { prompt: "input of kept" })
        // The other tests open what is there with their own keyring.
        yield* rotate
      }))

    test("a ciphertext that is copied to another request does not decrypt there", (logging) =>
      Effect.gen(function* () {
        yield* recordSent(logging, [sentBy(logging, "one"), sentBy(logging, "two")])
        const found = (yield* sealed).filter(({ context }) => context.account_id === logging.account_id)
        const [one, two] = found
        if (one === undefined || two === undefined) return assert.fail()
        const secrets = yield* SealedSecrets
        assert.strictEqual(yield* secrets.replace(field, [{ ...one, resealed: two.sealed }]), 1)
        assert.strictEqual((yield* Effect.exit(read(logging, one.context.row_id)))._tag, "Failure")
        yield* secrets.replace(field, [{ ...one, sealed: two.sealed, resealed: one.sealed }])
        assert.strictEqual((yield* Effect.exit(read(logging, one.context.row_id)))._tag, "Success")
      }))
  })
}
