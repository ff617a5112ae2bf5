/** PostHog's own client against the intake that PostHog's renderer is held to: what that takes is what PostHog's clients send. */
import { assert, describe, it } from "@effect/vitest"
import { renderers } from "../../core/src/delivery/renderBatch.ts"
import { Effect } from "effect"
import { gunzipSync } from "node:zlib"
import { PostHog } from "posthog-node"
import { startPosthog } from "@gatewarden/testkit/delivery/platforms/posthog"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"

type Fields = Readonly<Record<string, unknown>>

const event = {
  account_id: "acc",
  api_key_name: null,
  input: [{ role: "user", content: "Hello" }],
  output: undefined,
  event: {
    ...emptyEvent,
    id: "gen-1",
    created_at: "2026-11-23T10:00:00.123Z",
    recorded_at: "2026-11-23T10:00:01.000Z",
    model: "acme/large",
    external_user: "user-1",
    session_id: "session-1"
  }
}

describe("posthog-node", () => {
  it.effect("sends an event to the same address, with the same fields", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const intake = yield* Effect.suspend(startPosthog)
        const [ours] = yield* renderers.posthog.render(
          intake.config,
          [event],
          { cost: true, identity: true, request_context: true },
          0
        )
        const own = JSON.parse(new TextDecoder().decode(ours?.body)) as Fields & { readonly batch: readonly Fields[] }
        const [mine] = own.batch
        // The client adds fields of its own and compresses, which the renderer does not.
        intake.answerWith({ status: 200, body: '{"status":"Ok"}' })
        const client = new PostHog(intake.config.apiKey, {
          host: intake.config.endpoint,
          flushAt: 1,
          disableGeoip: true
        })
        client.capture({
          uuid: String(mine?.["uuid"]),
          event: "$ai_generation",
          distinctId: "user-1",
          timestamp: new Date(event.event.created_at),
          properties: mine?.["properties"] as Record<string, unknown>
        })
        yield* Effect.promise(() => client.shutdown())
        const sent = intake.requests.find(({ path }) => path === "/batch/")
        const bytes =
          sent?.headers["content-encoding"] === "gzip" ? gunzipSync(sent.body) : (sent?.body ?? new Uint8Array())
        const theirs = JSON.parse(new TextDecoder().decode(bytes)) as Fields & { readonly batch: readonly Fields[] }
        assert.strictEqual(theirs["api_key"], own["api_key"])
        const [received] = theirs.batch
        for (const field of ["uuid", "event", "distinct_id", "timestamp"])
          assert.deepStrictEqual(received?.[field], mine?.[field], field)
        const { $lib: _, ...properties } = (mine?.["properties"] ?? {}) as Record<string, unknown>
        assert.deepInclude(received?.["properties"], properties)
      })
    )
  )
})
