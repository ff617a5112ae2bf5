/** The name of a model at its provider. */
import { assert, it } from "@effect/vitest"
import { upstreamModel } from "../../../examples/gateway/src/Upstream.ts"

const upstream = { base_url: "https://provider.example/v1", models: { "a/named:free": "own" } }

it("is without author and variants, unless the gateway names it otherwise", () => {
  assert.strictEqual(upstreamModel(upstream, "a/gpt-4o:free"), "gpt-4o")
  assert.strictEqual(upstreamModel(upstream, "a/gpt-4o:free:more"), "gpt-4o")
  assert.strictEqual(upstreamModel(upstream, "gpt-4o"), "gpt-4o")
  assert.strictEqual(upstreamModel(upstream, "a/named:free"), "own")
})

it("is found in a name of a million colons", () => {
  assert.strictEqual(upstreamModel(upstream, `a/b${":".repeat(1_000_000)}\n`), "b")
})
