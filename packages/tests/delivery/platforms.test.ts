/** Each renderer of a platform with an API of its own, over HTTP against an intake that is as strict as the platform. */
import { assert, describe, it } from "@effect/vitest"
import type { DeliveredEvent, RenderedRequest, Renderer } from "../../core/src/delivery/rendering/Renderer.ts"
import { renderers } from "../../core/src/delivery/renderBatch.ts"
import { Effect, Redacted, type Scope } from "effect"
import * as fc from "fast-check"
import { anyBatch, anyIncluded } from "@gatewarden/testkit/delivery/anyDelivered"
import { startClickhouse } from "@gatewarden/testkit/delivery/platforms/clickhouse"
import { startDatadog } from "@gatewarden/testkit/delivery/platforms/datadog"
import { startPosthog } from "@gatewarden/testkit/delivery/platforms/posthog"
import { startS3 } from "@gatewarden/testkit/delivery/platforms/s3"
import { startSnowflake } from "@gatewarden/testkit/delivery/platforms/snowflake"
import { sendRendered } from "./sendRendered.ts"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"

const now = Date.UTC(2026, 10, 23, 12)

interface Intake {
  readonly type: string
  readonly config: object
  /** How many events the platform shows. */
  readonly count: () => number
  readonly faults: readonly string[]
  /** The fields of the config that no body may hold. */
  readonly secrets: readonly string[]
}

const ofS3 = Effect.map(startS3, (intake): Intake => ({
  ...intake,
  count: () => [...intake.objects.keys()].filter((name) => name.endsWith(".json")).length,
  faults: [],
  secrets: [intake.config.secretAccessKey, intake.config.accessKeyId]
}))

const intakes: Readonly<Record<string, Effect.Effect<Intake, never, Scope.Scope>>> = {
  clickhouse: Effect.map(Effect.suspend(startClickhouse), (intake) => ({
    ...intake,
    count: () => intake.held.length,
    secrets: [intake.config.password]
  })),
  datadog: Effect.map(Effect.suspend(startDatadog), (intake) => ({
    ...intake,
    count: () => intake.held.filter(({ meta }) => meta.kind !== "workflow").length,
    secrets: [intake.config.apiKey]
  })),
  // The key of a PostHog project is made to be public, and its place is the body.
  posthog: Effect.map(Effect.suspend(startPosthog), (intake) => ({
    ...intake,
    count: () => intake.held.length,
    secrets: []
  })),
  s3: ofS3,
  snowflake: Effect.map(Effect.suspend(startSnowflake), (intake) => ({
    ...intake,
    count: () => intake.held.length,
    secrets: [intake.config.token]
  }))
}

/** The field that each platform shows as the cost, for a request of 1.05 USD. */
const costs: Readonly<Record<string, string>> = {
  clickhouse: '"TOTAL_COST":"1.05"',
  datadog: '"total_cost":1.05',
  posthog: '"$ai_total_cost_usd":1.05',
  s3: '"totalCost":"1.05"',
  snowflake: '"TOTAL_COST":"1.05"'
}

/** Datadog takes no span of more than a day before: the random events have any time. */
const begin = (type: string): number => (type === "datadog" ? 0 : now)

const rendererOf = (type: string) => (renderers as unknown as Readonly<Record<string, Renderer<never>>>)[type]!
const configOf = (intake: Intake) => intake.config as never

const textOf = ({ body }: RenderedRequest) => new TextDecoder().decode(body)

const all = { cost: true, identity: true, request_context: true }

const eventOf = (id: string, more: Partial<DeliveredEvent["event"]> = {}): DeliveredEvent => ({
  account_id: "acc",
  api_key_name: "Production",
  input: undefined,
  output: undefined,
  event: {
    ...emptyEvent,
    id,
    created_at: "2026-11-23T10:00:00.123Z",
    recorded_at: "2026-11-23T10:00:01.000Z",
    model: "acme/large",
    cost_nanos: 123_456_789n,
    ...more
  }
})

const plainOf = (requests: readonly RenderedRequest[]) =>
  requests.map(({ headers, ...request }) => ({
    ...request,
    headers: Redacted.value(headers),
    body: Buffer.from(request.body)
  }))

for (const [type, start] of Object.entries(intakes))
  describe(type, () => {
    const renderer = rendererOf(type)

    it.effect("is taken whatever an event holds, and again as the same", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(anyBatch, anyIncluded, (events, include) =>
                Effect.runPromise(
                  Effect.scoped(
                    Effect.gen(function* () {
                      const intake = yield* start
                      const requests = yield* renderer.render(configOf(intake), events, include, begin(type))
                      assert.deepStrictEqual(
                        requests.flatMap(({ events: ids }) => ids),
                        events.map(({ event }) => event.id)
                      )
                      for (const request of [...requests, ...requests]) {
                        const { verdict } = yield* sendRendered(request, renderer.judge)
                        assert.deepStrictEqual(verdict, { kind: "accepted" }, intake.faults.join("; "))
                        assert.isAtMost(request.body.length, renderer.limits.bytes)
                        assert.isAtMost(request.events.length, renderer.limits.events)
                        for (const secret of intake.secrets) assert.notInclude(textOf(request), secret)
                        for (const secret of intake.secrets) assert.notInclude(request.url, secret)
                      }
                      assert.strictEqual(intake.count(), events.length)
                      const again = yield* renderer.render(configOf(intake), events, include, begin(type))
                      assert.deepStrictEqual(plainOf(again), plainOf(requests))
                    })
                  )
                )
              ),
              { numRuns: 20 }
            )
          )
        })
      )
    )

    it.effect("passes the connection test, which leaves no event", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const intake = yield* start
          const probe = yield* renderer.probe(configOf(intake), now)
          assert.deepStrictEqual(probe.events, [])
          const { verdict } = yield* sendRendered(probe, renderer.judge)
          assert.deepStrictEqual(verdict, { kind: "accepted" }, intake.faults.join("; "))
          assert.strictEqual(intake.count(), 0)
        })
      )
    )

    it.effect("waits with wrong credentials, at the connection test and later", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const intake = yield* start
          const wrong = Object.fromEntries(
            Object.entries(intake.config).map(([name, value]) => [
              name,
              /^(?:apiKey|password|token|secretAccessKey)$/.test(name) ? "wrong-0123456789" : (value as unknown)
            ])
          ) as never
          const requests = yield* renderer.render(wrong, [eventOf("a")], all, now)
          for (const request of [yield* renderer.probe(wrong, now), ...requests])
            assert.strictEqual((yield* sendRendered(request, renderer.judge)).verdict.kind, "retry")
          assert.strictEqual(intake.count(), 0)
        })
      )
    )

    it.effect("sends costs, identity and context where they are included, and nothing of them elsewhere", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const intake = yield* start
          const told = { cost: /0?\.123456789/, identity: "member-7", request_context: "canary-app" }
          const event = eventOf("a", { user_id: told.identity, app: told.request_context })
          for (const group of ["cost", "identity", "request_context"] as const) {
            const without = { ...all, [group]: false }
            const [whole, part] = [
              (yield* renderer.render(configOf(intake), [event], all, now)).map(textOf).join(""),
              (yield* renderer.render(configOf(intake), [event], without, now)).map(textOf).join("")
            ]
            const mark = told[group]
            assert.isTrue(typeof mark === "string" ? whole.includes(mark) : mark.test(whole), group)
            assert.isFalse(typeof mark === "string" ? part.includes(mark) : mark.test(part), group)
          }
        })
      )
    )

    it.effect("sends what the user paid in total as the cost, with BYOK's upstream cost", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const intake = yield* start
          const event = eventOf("a", { byok: true, cost_nanos: 50_000_000n, byok_cost_nanos: 1_000_000_000n })
          const requests = yield* renderer.render(configOf(intake), [event], all, now)
          // Snowflake's rows are a string within the JSON.
          assert.include(requests.map(textOf).join("").replaceAll("\\", ""), costs[type] ?? assert.fail(type))
        })
      )
    )

    it.effect("sends bodies where there are any, and no trace of them where there are none", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const intake = yield* start
          const bodies = {
            input: { messages: [{ role: "user", content: "canary-input" }], temperature: 0.25 },
            output: { choices: [{ message: { role: "assistant", content: "canary-output" } }] }
          }
          const whole = yield* renderer.render(configOf(intake), [{ ...eventOf("a"), ...bodies }], all, now)
          const text = whole.map(textOf).join("")
          assert.include(text, "canary-input")
          assert.include(text, "canary-output")
          const part = yield* renderer.render(configOf(intake), [eventOf("a")], all, now)
          assert.notMatch(part.map(textOf).join(""), /canary|temperature|messages/)
        })
      )
    )

    it.effect(
      "splits by bytes and by events, and leaves out what is too large for a request of its own",
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const intake = yield* start
            const many = Array.from({ length: renderer.limits.events * 2 + 1 }, (_, index) => eventOf(`many-${index}`))
            const requests = yield* renderer.render(configOf(intake), many, all, now)
            assert.isAtLeast(requests.length, 3)
            const body = 'quote" '.repeat(100_000)
            const large = Array.from({ length: 40 }, (_, index) => ({ ...eventOf(`large-${index}`), input: body }))
            const huge = {
              ...eventOf("huge", { trace: { note: "m".repeat(renderer.limits.bytes) } }),
              input: "i".repeat(renderer.limits.bytes)
            }
            const rest = yield* renderer.render(configOf(intake), [...large, huge], all, now)
            for (const request of [...requests, ...rest]) {
              assert.isAtMost(request.body.length, renderer.limits.bytes)
              const { verdict } = yield* sendRendered(request, renderer.judge)
              assert.deepStrictEqual(verdict, { kind: "accepted" }, intake.faults.join("; "))
            }
            assert.strictEqual(intake.count(), many.length + large.length + 1)
            const last = rest.at(-1)
            assert.match(last === undefined ? "" : textOf(last), /left.?out/i)
          })
        ),
      { tags: ["deep"] }
    )
  })
