/** Every OTLP renderer against its platform's intake, over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { partialSuccess } from "@gatewarden/testkit/delivery/platforms/readSpans"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"
import { renderers } from "../../core/src/delivery/renderBatch.ts"
import { otlpPlatforms, send } from "./otlpPlatforms.ts"

const everything = { cost: true, identity: true, request_context: true }
const nothing = { cost: false, identity: false, request_context: false }
const now = Date.parse("2026-03-04T05:10:00.000Z")

const textOf = ({ attributes }: { readonly attributes: unknown }): string => JSON.stringify(attributes)

it("the table has each renderer under its type", () => {
  for (const { type, renderer } of otlpPlatforms) assert.strictEqual(renderers[type] as unknown, renderer)
})

for (const { type, renderer, start } of otlpPlatforms)
  describe(type, () => {
    it.effect("is taken by its platform, whole and once each", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const events = [
          deliveredEvent("gen-1"),
          deliveredEvent("gen-2", { trace: { span_name: "Plan", parent_span_id: "00f067aa0ba902b7", step: 3 } }),
          deliveredEvent("gen-3", { status: "rate_limited", finish_reason: null, trace: null, latency_ms: null }, {})
        ]
        const requests = yield* renderer.render(intake.config, events, everything, now)
        for (const request of requests) assert.deepEqual(yield* send(renderer, request), { kind: "accepted" })
        assert.deepEqual(intake.faults, [])
        assert.deepEqual(
          requests.flatMap(({ events }) => events),
          ["gen-1", "gen-2", "gen-3"]
        )
        assert.deepEqual(
          intake.spans.map(({ name, kind, scope }) => [name, kind, scope]),
          [
            ["Draft", 3, "gatewarden"],
            ["Plan", 1, "gatewarden"],
            ["anthropic/claude-sonnet-4.5", 3, "gatewarden"],
            ["anthropic/claude-sonnet-4.5", 3, "gatewarden"]
          ]
        )
        assert.deepEqual([...new Set(intake.spans.map(({ resource }) => resource["service.name"]))], ["gatewarden"])
        const [first, above, below, failed] = intake.spans
        assert.strictEqual(first?.traceId, "0af7651916cd43dd8448eb211c80319c")
        assert.strictEqual(first?.parentSpanId, "")
        assert.strictEqual(first?.start, BigInt(Date.parse("2026-03-04T05:06:07.008Z")) * 1_000_000n)
        assert.strictEqual((first?.end ?? 0n) - (first?.start ?? 0n), 1_750_500_000n)
        assert.strictEqual(above?.parentSpanId, "00f067aa0ba902b7")
        assert.strictEqual(below?.parentSpanId, above?.spanId)
        assert.strictEqual(below?.traceId, above?.traceId)
        assert.deepEqual(failed?.status, { code: 2, message: "rate_limited" })
        assert.deepEqual(first?.status, { code: 0, message: "" })
        assert.strictEqual(new Set(intake.spans.map(({ spanId }) => spanId)).size, 4)
      })
    )

    it.effect("shows input and output at the root, where bodies are sent", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const trace = { span_name: "Plan" }
        const events = [deliveredEvent("gen-1", { trace }), deliveredEvent("gen-2", { trace }, {})]
        for (const request of yield* renderer.render(intake.config, events, everything, now))
          assert.deepEqual(yield* send(renderer, request), { kind: "accepted" })
        const [whole, closed] = intake.spans.filter(({ name }) => name === "Plan").map(textOf)
        assert.include(whole, "Weather in Köln?")
        assert.include(whole, "Rain.")
        assert.notMatch(closed ?? assert.fail("no root"), /Köln|Rain/)
        // The model's span has them, too; tokens are there alone.
        assert.strictEqual(intake.spans.map(textOf).filter((text) => text.includes("Rain.")).length, 2)
        assert.notInclude(whole, "gen_ai.usage.")
      })
    )

    it.effect("makes up no reason for which the model stopped", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const statuses = ["ok", "error", "rate_limited", "cancelled", "blocked"] as const
        const events = statuses.map((status) =>
          deliveredEvent(`gen-${status}`, { status, finish_reason: null }, { input: "Hello", output: "Half" })
        )
        for (const request of yield* renderer.render(intake.config, events, everything, now))
          assert.deepEqual(yield* send(renderer, request), { kind: "accepted" })
        assert.strictEqual(intake.spans.length, statuses.length)
        for (const span of intake.spans) assert.notMatch(textOf(span), /"stop\\?"/)
      })
    )

    it.effect("takes metadata whose names begin with one another", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const trace = { a: "value-a", "a.b": "value-b", "a.b.c": "value-c" }
        const classifiers = { k: { v: "value-d", "v.w": "value-e" } }
        const events = [deliveredEvent("gen-1", { trace, classifiers })]
        for (const request of yield* renderer.render(intake.config, events, everything, now))
          assert.deepEqual(yield* send(renderer, request), { kind: "accepted" })
        assert.deepEqual(intake.faults, [])
        for (const value of ["a", "b", "c", "d", "e"]) assert.include(intake.spans.map(textOf).join(), `value-${value}`)
      })
    )

    it.effect("has a connection test that brings nothing", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const probe = yield* renderer.probe(intake.config, now)
        assert.deepEqual(yield* send(renderer, probe), { kind: "accepted" })
        assert.deepEqual(probe.events, [])
        assert.deepEqual(intake.spans, [])
      })
    )

    it.effect("judges refusals, faults and answers that reject spans", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const [request] = yield* renderer.render(intake.config, [deliveredEvent("gen-1")], nothing, now)
        if (request === undefined) return assert.fail("no request")
        const contentType = Redacted.value(request.headers)["content-type"] ?? ""
        const answers = [
          [400, "bad", "refused"],
          [401, "", "retry"],
          [404, "", "retry"],
          [413, "", "too_large"],
          [422, "", "refused"],
          [429, "", "retry"],
          [503, "later", "retry"],
          [200, partialSuccess(contentType, request.spans ?? 0, "attribute limit exceeded"), "partly"],
          [200, partialSuccess(contentType, 0, "deprecated"), "accepted"],
          [200, "", "accepted"],
          [202, "<html>", "accepted"]
        ] as const
        for (const [status, body, kind] of answers) {
          intake.answerWith({ status, body })
          const verdict = yield* send(renderer, request)
          assert.strictEqual(verdict.kind, kind, `${status} ${String(body)}`)
          if (verdict.kind === "partly") {
            assert.deepEqual(verdict.refused, ["gen-1"])
            assert.notInclude(verdict.message, "attribute limit exceeded")
          }
          if (verdict.kind === "retry" && status === 503)
            assert.strictEqual(verdict.message, "The platform answered 503.")
        }
      })
    )

    it.effect("repeats no request of which some spans were rejected", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const events = ["gen-1", "gen-2", "gen-3"].map((id) => deliveredEvent(id))
        const [request] = yield* renderer.render(intake.config, events, nothing, now)
        if (request === undefined) return assert.fail("no request")
        const contentType = Redacted.value(request.headers)["content-type"] ?? ""
        const spans = request.spans ?? 0
        assert.isAtLeast(spans, request.events.length)
        for (const rejected of [1, spans - 1]) {
          intake.answerWith({ status: 200, body: partialSuccess(contentType, rejected, "too old") })
          const verdict = yield* send(renderer, request)
          assert.deepInclude(verdict, { kind: "accepted", rejected })
          assert.strictEqual("message" in verdict && verdict.message, `The platform rejected ${rejected} of the spans.`)
        }
        // A count of two bytes in protobuf, and more than there are.
        intake.answerWith({ status: 200, body: partialSuccess(contentType, 300, "too old") })
        assert.strictEqual((yield* send(renderer, request)).kind, "partly")
      })
    )

    it.effect("sends credentials in headers alone", () =>
      Effect.gen(function* () {
        const sent = { ...destinationConfigs[type].shown, ...destinationConfigs[type].sent }
        const requests = yield* renderer.render(sent as never, [deliveredEvent("gen-1")], everything, now)
        const probe = yield* renderer.probe(sent as never, now)
        const secrets = Object.entries(sent).filter(([field]) => /key|token|dsn/i.test(field))
        for (const { body, url, headers } of [...requests, probe]) {
          const text = new TextDecoder("latin1").decode(body) + url
          for (const [, secret] of secrets) assert.notInclude(text, secret)
          assert.notInclude(JSON.stringify({ headers }), secrets[0]?.[1] ?? "…")
          assert.deepEqual(
            Object.keys(Redacted.value(headers)).filter((name) => name !== name.toLowerCase()),
            []
          )
        }
      })
    )
  })
