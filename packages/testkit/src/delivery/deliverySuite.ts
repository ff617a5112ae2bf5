/**
 * Holds a whole instance to what it promises of deliveries, over any store: recorded usage arrives at a platform that this suite plays.
 *
 * The platform is a function in the place of `fetch`; the clock is turned by hand.
 */
import type { Destination, SentUsageEvent } from "@gatewarden/contract"
import {
  type Caller,
  DeliveryMeter,
  type DestinationChange,
  OutgoingFetch,
  dispatchDue,
  type Fetch,
  importUsageEvents,
  layerInstance,
  contextOfConfig,
  recordUsageEvents,
  replayDeadLetters,
  sealConfig,
  type Services,
  DeadLetters,
  DeliveryLog,
  DeliveryQueue,
  Destinations,
  SealedSecrets,
  type StorePorts
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Redacted } from "effect"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { sentEvent } from "../usage/sentEvent.ts"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import { readableStream } from "@gatewarden/conformance/internal/delivery/readableStream"
import {
  newDestination,
  newTenant,
  sealedDestination,
  type Tenant
} from "@gatewarden/conformance/internal/delivery/waitingEvents"

const start = Date.parse("2026-03-04T12:00:00.000Z")

/** Answers a request of the dispatcher. The body is the text that was sent. */
export type Platform = (body: string, url: string) => Response | Promise<Response>

export const accepts: Platform = () => new Response("{}", { status: 200 })

const fetchOf =
  (platform: () => Platform, seen: string[]): Fetch =>
  async (url, { body }) => {
    const text = new TextDecoder().decode(body as Uint8Array)
    seen.push(text)
    return platform()(text, url)
  }

/** The ids of events in a request, in their order. The renderer names them in an attribute. */
export const idsIn = (body: string): readonly string[] =>
  [...body.matchAll(/"gen_ai\.response\.id","value":\{"stringValue":"([^"]+)"/g)].map((match) => match[1] ?? "")

export const callerOf = ({ account_id, workspace_id }: Tenant): Caller => ({
  account_id,
  key_hash: "",
  kind: "management",
  workspace_id: null,
  default_workspace_id: workspace_id,
  user_id: null,
  is_operator: true,
  restrictions: null
})

export const deliverySuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`delivery on ${name}`, () => {
    const clock = { now: start }
    const run = storeUnderTest(() => layerInstance(makeStore(), testKeyring), clock)
    let tests = 0

    interface Scene {
      readonly tenant: Tenant
      readonly seen: string[]
      platform: Platform
      readonly destination: (fields?: Partial<Destination>) => Effect.Effect<string, never, Services>
      readonly record: (...events: readonly SentUsageEvent[]) => Effect.Effect<unknown, unknown, Services>
      readonly dispatch: Effect.Effect<number, never, Services>
    }
    const test = (title: string, body: (scene: Scene) => Effect.Effect<void, unknown, Services>) =>
      it(title, async () => {
        clock.now = start + ++tests * 40 * 86_400_000
        const seen: string[] = []
        await run(
          Effect.gen(function* () {
            const tenant = yield* newTenant
            const scene: Scene = {
              tenant,
              seen,
              platform: accepts,
              destination: (fields) => sealedDestination(tenant, fields),
              record: (...events) =>
                recordUsageEvents(callerOf(tenant), { kind: "value", value: { events: [...events] } }),
              dispatch: Effect.provideService(
                Effect.andThen(readableStream, dispatchDue),
                OutgoingFetch,
                fetchOf(() => scene.platform, seen)
              )
            }
            yield* body(scene)
          })
        )
      })

    test("recorded usage arrives once, in order, and leaves nothing behind", (scene) =>
      Effect.gen(function* () {
        yield* scene.destination()
        yield* scene.record(sentEvent("b", { input: "what?" }), sentEvent("a"), sentEvent("b"))
        yield* scene.record(sentEvent("a"), sentEvent("c"))
        yield* importUsageEvents(callerOf(scene.tenant), [sentEvent("imported")])
        assert.strictEqual(yield* scene.dispatch, 3)
        assert.deepEqual(scene.seen.flatMap(idsIn), ["b", "a", "c"])
        assert.strictEqual(yield* scene.dispatch, 0)
        assert.strictEqual((yield* (yield* DeliveryQueue).backlog).waiting, 0)
        const secrets = yield* (yield* SealedSecrets).count("delivery.bodies", "none")
        assert.strictEqual(secrets.total, 0)
      }))

    test("bodies reach destinations without privacy mode, without their images", (scene) =>
      Effect.gen(function* () {
        yield* scene.destination({ privacy_mode: true })
        const event = sentEvent("body", {
          input: {
            messages: [{ role: "user", content: "canary-in" }, { image: `data:image/png;base64,${"A".repeat(900)}` }]
          },
          output: "canary-out"
        })
        yield* scene.record(event)
        assert.strictEqual((yield* (yield* SealedSecrets).count("delivery.bodies", "none")).total, 0)
        yield* scene.dispatch
        assert.notInclude(scene.seen.join(), "canary")
        yield* scene.destination({ privacy_mode: false })
        yield* scene.record({ ...event, id: "open" })
        scene.seen.length = 0
        yield* scene.dispatch
        const [open, ...others] = scene.seen.filter((body) => body.includes("canary-in"))
        assert.isEmpty(others)
        assert.include(open, "canary-out")
        assert.notInclude(open, "AAAA")
        assert.lengthOf(scene.seen, 2)
      }))

    test("a failing platform gets the same events again, later, and after the time that it asks for", (scene) =>
      Effect.gen(function* () {
        yield* scene.destination()
        yield* scene.record(sentEvent("a"), sentEvent("b"))
        scene.platform = () => new Response("busy", { status: 429, headers: { "retry-after": "120" } })
        assert.strictEqual(yield* scene.dispatch, 0)
        assert.lengthOf(scene.seen, 1)
        clock.now += 119_000
        yield* scene.dispatch
        assert.lengthOf(scene.seen, 1)
        clock.now += 2_000
        scene.platform = accepts
        assert.strictEqual(yield* scene.dispatch, 2)
        assert.deepEqual(scene.seen.map(idsIn), [
          ["a", "b"],
          ["a", "b"]
        ])
      }))

    test("one refused event becomes a dead letter, and the others arrive in order", (scene) =>
      Effect.gen(function* () {
        const id = yield* scene.destination()
        scene.platform = (body) =>
          idsIn(body).includes("c")
            ? new Response(`cannot parse ${body}`, { status: 400 })
            : idsIn(body).length > 4
              ? new Response("", { status: 413 })
              : accepts(body, "")
        const ids = ["a", "b", "c", "d", "e", "f", "g"]
        yield* scene.record(...ids.map((each) => sentEvent(each, { input: "canary-in" })))
        assert.strictEqual(yield* scene.dispatch, 6)
        const arrived = scene.seen.map(idsIn).filter((some) => !some.includes("c") && some.length <= 4)
        assert.deepEqual(arrived.flat(), ["a", "b", "d", "e", "f", "g"])
        const page = yield* (yield* DeadLetters).list(scene.tenant.account_id, id, { limit: 10, offset: 0 })
        assert.deepEqual(
          page.data.map(({ event_id, status }) => [event_id, status]),
          [["c", 400]]
        )
        // Platforms repeat what they cannot parse, and with it prompts.
        assert.strictEqual(page.data[0]?.message, "The platform answered 400.")
        const attempts = yield* (yield* DeliveryLog).attempts(scene.tenant.account_id, id, { limit: 10, offset: 0 })
        const state = yield* (yield* DeliveryQueue).stateOf(scene.tenant.account_id, id)
        assert.include(scene.seen.join(), "canary-in")
        assert.notInclude(JSON.stringify([attempts.data, state]), "canary-in")
        const [kept] = yield* (yield* DeadLetters).find(scene.tenant.account_id, id, ["c"], 1_000)
        assert.isNotNull(kept?.sealed_bodies)
        assert.strictEqual((yield* (yield* SealedSecrets).count("delivery.bodies", "none")).total, 0)
      }))

    test("a platform that refuses everything gets few requests, and is told of", (scene) =>
      Effect.gen(function* () {
        const { account_id } = scene.tenant
        const id = yield* scene.destination()
        scene.platform = () => new Response("", { status: 400 })
        yield* scene.record(...Array.from({ length: 200 }, (_, index) => sentEvent(`r${index}`)))
        const told: (readonly [type: string, outcome: string, refused: number])[] = []
        yield* Effect.provideService(scene.dispatch, DeliveryMeter, (type, { outcome, refused }) => {
          told.push([type, outcome, refused])
        })
        assert.deepEqual(
          told.map(([type, outcome]) => [type, outcome]),
          told.map(() => ["webhook", "refused"])
        )
        assert.strictEqual(
          told.reduce((sum, [, , refused]) => sum + refused, 0),
          200
        )
        assert.isBelow(scene.seen.length, 50)
        const page = yield* (yield* DeadLetters).list(account_id, id, { limit: 1, offset: 0 })
        assert.strictEqual(page.total_count, 200)
        assert.deepInclude(page.data[0], { status: 400, message: "The platform answered 400." })
        const queue = yield* DeliveryQueue
        const state = Option.getOrThrow(yield* queue.stateOf(account_id, id))
        assert.deepInclude(state, { refusals: 200, refusing_since: clock.now, failures: 0, is_open: false })
        const refusing = (yield* queue.backlog).destinations.find(({ type }) => type === "webhook")?.refusing ?? 0
        assert.isAtLeast(refusing, 1)
        // It accepts again.
        scene.platform = accepts
        yield* scene.record(sentEvent("good"))
        yield* scene.dispatch
        const well = Option.getOrThrow(yield* queue.stateOf(account_id, id))
        assert.deepInclude(well, { refusals: 0, refusing_since: null })
        const left = (yield* queue.backlog).destinations.find(({ type }) => type === "webhook")?.refusing ?? 0
        assert.strictEqual(left, refusing - 1)
      }))

    test("of many refused events among accepted ones each is found", (scene) =>
      Effect.gen(function* () {
        const id = yield* scene.destination()
        const bad = new Set(Array.from({ length: 60 }, (_, index) => `m${index * 3}`))
        scene.platform = (body) =>
          idsIn(body).some((each) => bad.has(each)) ? new Response("", { status: 400 }) : accepts(body, "")
        yield* scene.record(sentEvent("first"), ...Array.from({ length: 180 }, (_, index) => sentEvent(`m${index}`)))
        assert.strictEqual(yield* scene.dispatch, 121)
        const page = yield* (yield* DeadLetters).list(scene.tenant.account_id, id, { limit: 100, offset: 0 })
        assert.deepEqual(new Set(page.data.map(({ event_id }) => event_id)), bad)
      }))

    test("what waits is not sent to another host, and dead letters are dropped", (scene) =>
      Effect.gen(function* () {
        const { account_id } = scene.tenant
        const id = yield* scene.destination()
        scene.platform = () => new Response("", { status: 400 })
        yield* scene.record(sentEvent("dead", { input: "canary-dead" }))
        yield* scene.dispatch
        yield* scene.record(sentEvent("waiting", { input: "canary-waiting" }))
        const letters = yield* DeadLetters
        assert.strictEqual((yield* letters.list(account_id, id, { limit: 9, offset: 0 })).total_count, 1)
        clock.now += 1_000
        const readdress = Effect.fnUntraced(function* (url: string, moves: boolean) {
          const destinations = yield* Destinations
          const found = Option.getOrThrow(yield* destinations.find(account_id, id))
          const config = { url, method: "POST" as const }
          const sealed_config = yield* sealConfig(Redacted.make(config), contextOfConfig(account_id, found.destination))
          const replaced = { replaces: found.sealed_config, config, sealed_config, moves }
          yield* destinations.update(account_id, id, {}, replaced, new Date(clock.now).toISOString())
        })
        yield* readdress("https://other.example.com/hook", true)
        assert.strictEqual((yield* letters.list(account_id, id, { limit: 9, offset: 0 })).total_count, 0)
        clock.now += 1_000
        yield* scene.record(sentEvent("new", { input: "of-now" }))
        scene.seen.length = 0
        scene.platform = accepts
        assert.strictEqual(yield* scene.dispatch, 1)
        assert.deepEqual(scene.seen.flatMap(idsIn), ["new"])
        assert.notInclude(scene.seen.join(), "canary")
        assert.strictEqual((yield* (yield* SealedSecrets).count("delivery.bodies", "none")).total, 0)
        // Another path of the same host gets what waits.
        yield* scene.record(sentEvent("later"))
        clock.now += 1_000
        yield* readdress("https://other.example.com/b", false)
        assert.strictEqual(yield* scene.dispatch, 1)
      }))

    const change = Effect.fnUntraced(function* ({ account_id }: Tenant, id: string, fields: DestinationChange) {
      clock.now += 1_000
      yield* (yield* Destinations).update(account_id, id, fields, undefined, new Date(clock.now).toISOString())
      clock.now += 1_000
    })

    test("a destination never gets later what it was not allowed when an event was recorded", (scene) =>
      Effect.gen(function* () {
        const { tenant } = scene
        const groups = (included: boolean) => ({
          broadcast_generation_cost: included,
          broadcast_generation_identity: included,
          broadcast_generation_request_context: included
        })
        const at = (url: string): Partial<Destination> => ({
          ...{ type: "webhook", config: { url, method: "POST" } },
          ...groups(false)
        })
        const hidden = yield* scene.destination({ ...at("https://hidden.example.com/"), privacy_mode: true })
        const open = yield* scene.destination(at("https://open.example.com/"))
        const sent: { readonly url: string; readonly body: string }[] = []
        const answering =
          (status: number): Platform =>
          (body, url) => {
            sent.push({ url, body })
            return new Response("{}", { status })
          }
        const record = (id: string) => scene.record(sentEvent(id, { input: `canary-${id}`, cost_usd: "0.25" }))
        scene.platform = answering(400)
        yield* record("dead")
        yield* scene.dispatch
        const letters = yield* DeadLetters
        const bodiesOf = (id: string) =>
          Effect.map(letters.find(tenant.account_id, id, ["dead"], 1_000), ([letter]) => letter?.sealed_bodies)
        assert.isNull(yield* bodiesOf(hidden))
        assert.isNotNull(yield* bodiesOf(open))

        scene.platform = answering(503)
        yield* record("waits")
        yield* scene.dispatch
        yield* change(tenant, hidden, { ...groups(true), privacy_mode: false })
        yield* change(tenant, open, { broadcast_generation_cost: true })
        for (const id of [hidden, open]) yield* replayDeadLetters(callerOf(tenant), id, { event_ids: ["dead"] })
        yield* record("new")
        sent.length = 0
        scene.platform = answering(200)
        assert.strictEqual(yield* scene.dispatch, 6)
        const bodiesSent = (host: string, isNew: boolean) =>
          sent
            .filter(({ url, body }) => url.includes(host) && idsIn(body).includes("new") === isNew)
            .map(({ body }) => body)
            .join()
        const [before, since] = [bodiesSent("hidden", false), bodiesSent("hidden", true)]
        assert.sameMembers([...idsIn(before)], ["dead", "waits"])
        assert.notMatch(before, /canary|gen_ai\.usage\.cost|gatewarden\.(workspace|cost)|classifier/)
        for (const part of ["canary-new", "gen_ai.usage.cost", "gatewarden.workspace.id"]) assert.include(since, part)
        // What it was allowed it gets all the same.
        assert.include(bodiesSent("open", false), "canary-dead")
        assert.include(bodiesSent("open", false), "canary-waits")
        assert.notInclude(bodiesSent("open", false), "gen_ai.usage.cost")
        assert.include(bodiesSent("open", true), "gen_ai.usage.cost")
      }))

    test("a destination that is enabled again receives what is recorded from then on", (scene) =>
      Effect.gen(function* () {
        const id = yield* scene.destination()
        yield* scene.record(sentEvent("waits"))
        yield* change(scene.tenant, id, { enabled: false })
        yield* change(scene.tenant, id, { enabled: true })
        yield* scene.record(sentEvent("new"))
        assert.strictEqual(yield* scene.dispatch, 1)
        assert.deepEqual(scene.seen.flatMap(idsIn), ["new"])
      }))

    test("after a day of failures events become dead letters, and newer ones wait on", (scene) =>
      Effect.gen(function* () {
        const id = yield* scene.destination()
        scene.platform = () => new Response("", { status: 503 })
        yield* scene.record(sentEvent("old"))
        const begun = clock.now
        for (let round = 0; round < 5; round++) {
          yield* scene.dispatch
          clock.now += 4_000_000
        }
        yield* scene.record(sentEvent("new"))
        clock.now = begun + 86_400_000 - 1
        yield* scene.dispatch
        const letters = yield* DeadLetters
        assert.strictEqual((yield* letters.list(scene.tenant.account_id, id, { limit: 9, offset: 0 })).total_count, 0)
        clock.now = begun + 86_400_000 + 1_200_000
        yield* scene.dispatch
        const page = yield* letters.list(scene.tenant.account_id, id, { limit: 9, offset: 0 })
        assert.deepEqual(
          page.data.map(({ event_id, status }) => [event_id, status]),
          [["old", 503]]
        )
        const state = Option.getOrThrow(yield* (yield* DeliveryQueue).stateOf(scene.tenant.account_id, id))
        assert.isTrue(state.is_open)
        scene.platform = accepts
        clock.now += 1_200_000
        assert.strictEqual(yield* scene.dispatch, 1)
        const well = Option.getOrThrow(yield* (yield* DeliveryQueue).stateOf(scene.tenant.account_id, id))
        assert.deepInclude(well, { is_open: false, failures: 0, delivered: 1, dead: 1, due_at: null })
      }))

    test("an event that is refused after a day of failures is counted once", (scene) =>
      Effect.gen(function* () {
        const id = yield* scene.destination()
        scene.platform = () => new Response("", { status: 503 })
        yield* scene.record(sentEvent("bad"), sentEvent("good"))
        yield* scene.dispatch
        clock.now += 86_400_000 + 1_200_000
        scene.platform = (body) => new Response("", { status: idsIn(body).includes("bad") ? 400 : 503 })
        yield* scene.dispatch
        const page = yield* (yield* DeadLetters).list(scene.tenant.account_id, id, { limit: 9, offset: 0 })
        assert.deepEqual(
          new Map(page.data.map(({ event_id, status }) => [event_id, status])),
          new Map([
            ["bad", 400],
            ["good", 503]
          ])
        )
        const state = Option.getOrThrow(yield* (yield* DeliveryQueue).stateOf(scene.tenant.account_id, id))
        assert.deepInclude(state, { dead: 2, delivered: 0 })
      }))

    test("what waits for a config that no key opens becomes dead letters after a day", (scene) =>
      Effect.gen(function* () {
        const id = yield* newDestination(scene.tenant)
        yield* scene.record(sentEvent("a"), sentEvent("b"))
        yield* scene.dispatch
        const letters = yield* DeadLetters
        const count = Effect.map(
          letters.list(scene.tenant.account_id, id, { limit: 9, offset: 0 }),
          (page) => page.total_count
        )
        clock.now += 86_400_000 - 60_000
        yield* scene.dispatch
        assert.strictEqual(yield* count, 0)
        clock.now += 3_600_000
        yield* scene.dispatch
        const page = yield* letters.list(scene.tenant.account_id, id, { limit: 9, offset: 0 })
        assert.deepEqual(
          page.data.map(({ event_id, status, message }) => [event_id, status, message]),
          [
            ["b", null, "The configuration cannot be used by this server."],
            ["a", null, "The configuration cannot be used by this server."]
          ]
        )
        assert.isEmpty(scene.seen)
        const state = Option.getOrThrow(yield* (yield* DeliveryQueue).stateOf(scene.tenant.account_id, id))
        assert.deepInclude(state, { dead: 2, delivered: 0 })
      }))

    test("spans that a platform rejects without naming them are not sent again", (scene) =>
      Effect.gen(function* () {
        const id = yield* scene.destination()
        scene.platform = () => Response.json({ partialSuccess: { rejectedSpans: "1", errorMessage: "too old" } })
        yield* scene.record(sentEvent("a"), sentEvent("b"))
        assert.strictEqual(yield* scene.dispatch, 2)
        assert.lengthOf(scene.seen, 1)
        scene.platform = () => Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } })
        yield* scene.record(sentEvent("c"), sentEvent("d"))
        assert.strictEqual(yield* scene.dispatch, 0)
        assert.lengthOf(scene.seen, 2)
        const page = yield* (yield* DeadLetters).list(scene.tenant.account_id, id, { limit: 9, offset: 0 })
        assert.deepEqual(
          page.data.map(({ event_id }) => event_id),
          ["d", "c"]
        )
      }))

    test("a dead destination adds no turn to the others", (scene) =>
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const healthy = yield* Effect.forEach([1, 2, 3], () => scene.destination())
        scene.platform = (body, url) => (url.includes("dead") ? Promise.reject(new Error("reset")) : accepts(body, url))
        let recorded = 0
        /** Attempts of the others for 200 events that come in pieces, and how many events each dispatch delivers. */
        const deliver = Effect.gen(function* () {
          const before = yield* attempts
          for (let piece = 0; piece < 10; piece++) {
            yield* scene.record(...Array.from({ length: 20 }, () => sentEvent(`e${recorded++}`)))
            assert.strictEqual(yield* scene.dispatch, 20 * healthy.length)
            clock.now += 5_000
          }
          return (yield* attempts) - before
        })
        const attempts = Effect.map(
          Effect.forEach(healthy, (id) => log.attempts(scene.tenant.account_id, id, { limit: 1, offset: 0 })),
          (pages) => pages.reduce((sum, { data }) => sum + (data[0]?.number ?? 0), 0)
        )
        const alone = yield* deliver
        const config = { url: "https://example.com/dead", method: "POST" as const }
        const dead = yield* scene.destination({ config } as Partial<Destination>)
        const beside = yield* deliver
        assert.isAtMost(beside, alone * 1.05)
        const state = Option.getOrThrow(yield* (yield* DeliveryQueue).stateOf(scene.tenant.account_id, dead))
        assert.deepInclude(state, { is_open: true, delivered: 0 })
        assert.strictEqual((yield* log.waiting(scene.tenant.account_id, dead)).waiting, 200)
      }))
  })
}
