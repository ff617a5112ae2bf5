/** What holds for every OTLP renderer and every request. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"
import { readSpans, type ReceivedSpan } from "@gatewarden/testkit/delivery/platforms/readSpans"
import type { DeliveredEvent, RenderedRequest } from "../../core/src/delivery/rendering/Renderer.ts"
import { deliveredEvents, includedMetadata } from "./deliveredEventArbitrary.ts"
import { otlpPlatforms, send } from "./otlpPlatforms.ts"

const now = Date.parse("2026-03-04T05:10:00.000Z")

const spansOf = ({ headers, body }: RenderedRequest): readonly ReceivedSpan[] =>
  readSpans(Redacted.value(headers)["content-type"], body)

const ofBodies =
  /^(?:gen_ai\.(?:input|output)\.|gen_ai\.request\.(?!model$)|gen_ai\.tool\.|(?:input|output)\.|llm\.(?:input|output)_messages)/
const ofGroup = {
  cost: /cost|estimated_cost|byok/,
  identity: /^(?:opik\.metadata\.)?gatewarden\.(?:workspace|user|api_key)\./,
  request_context:
    /^(?:opik\.metadata\.)?gatewarden\.(?:app|origin|country|data_region|endpoint|guardrail|response_cached|tool_calls|input_mod|output_mod|category|language|classifier)/
}

for (const { type, renderer, start } of otlpPlatforms)
  describe(type, () => {
    it.effect("takes whatever is recorded", () =>
      Effect.gen(function* () {
        const intake = yield* start
        const runtime = yield* Effect.context<never>()
        const run = Effect.runPromiseWith(runtime)
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(deliveredEvents, includedMetadata, async (events, include) => {
              const requests = await run(renderer.render(intake.config, events, include, now))
              assert.deepEqual(
                requests.flatMap(({ events }) => events),
                events.map(({ event }) => event.id)
              )
              for (const request of requests) {
                assert.isAtMost(request.body.length, renderer.limits.bytes)
                assert.deepEqual(await run(send(renderer, request)), { kind: "accepted" }, intake.faults.at(-1))
              }
            }),
            { numRuns: 30 }
          )
        )
      })
    )

    it.effect("gets the same bytes for the same events, and of bodies and groups only what is given", () =>
      Effect.gen(function* () {
        const config = (yield* start).config
        const run = Effect.runPromise
        const without = (events: readonly DeliveredEvent[]) =>
          events.map((delivered) => ({ ...delivered, input: undefined, output: undefined }))
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(deliveredEvents, includedMetadata, async (events, include) => {
              const first = await run(renderer.render(config, without(events), include, now))
              const again = await run(renderer.render(config, without(events), include, now + 86_400_000))
              assert.deepEqual(
                again.map(({ body }) => body),
                first.map(({ body }) => body)
              )
              const named = Object.keys(
                Object.assign({}, ...first.flatMap(spansOf).map(({ attributes }) => attributes))
              )
              const fixed = named.filter((name) => !/metadata\.(?!gatewarden\.)/.test(name))
              assert.deepEqual(
                fixed.filter((name) => ofBodies.test(name)),
                []
              )
              for (const group of ["cost", "identity", "request_context"] as const)
                if (!include[group])
                  assert.deepEqual(
                    fixed.filter((name) => ofGroup[group].test(name)),
                    [],
                    group
                  )
            }),
            { numRuns: 30 }
          )
        )
      })
    )
  })
