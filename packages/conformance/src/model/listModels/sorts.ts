/** The orders of a list. */
import { modelSorts } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { endpoint, list, model, newAuthor, record } from "../catalog.ts"
import { read, slugsOf } from "./reading.ts"

const benchmarks = (index: number, ...elos: readonly number[]) => ({
  artificial_analysis: { intelligence_index: index, coding_index: 10 - index, agentic_index: index === 2 ? 9 : index },
  design_arena: elos.map((elo) => ({ arena: "a", category: "website", elo, rank: 1, win_rate: 0.5 }))
})

const priced = (prompt: string, completion: string, context_length: number) => [
  endpoint({ pricing: { prompt, completion }, context_length })
]

/** `none` has nothing to sort by; `a` comes before `b` where both are alike. */
const expected: Readonly<Record<(typeof modelSorts)[number], readonly string[]>> = {
  "most-popular": ["b", "c", "a", "none"],
  "top-weekly": ["b", "c", "a", "none"],
  newest: ["c", "a", "b", "none"],
  "pricing-low-to-high": ["c", "a", "b", "none"],
  "pricing-high-to-low": ["b", "a", "c", "none"],
  "context-high-to-low": ["b", "a", "c", "none"],
  "throughput-high-to-low": ["c", "a", "b", "none"],
  "latency-low-to-high": ["b", "a", "c", "none"],
  "intelligence-high-to-low": ["c", "b", "a", "none"],
  "coding-high-to-low": ["a", "b", "c", "none"],
  "agentic-high-to-low": ["b", "c", "a", "none"],
  "design-arena-elo-high-to-low": ["a", "b", "c", "none"]
}

export const sortCases: readonly Case[] = [
  {
    name: "sorted in each of the orders; what has no value comes last",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      await list(
        world,
        model(`${author}/a`, {
          created: 1_700_000_100,
          endpoints: priced("0.000001", "0.000009", 2000),
          listing: { benchmarks: benchmarks(1, 1200, 1500) }
        }),
        model(`${author}/b`, {
          created: 1_700_000_100,
          endpoints: priced("0.000002", "0.000009", 3000),
          listing: { benchmarks: benchmarks(2, 1400) }
        }),
        model(`${author}/c`, {
          created: 1_700_000_200,
          // The average counts, not the price of the prompt.
          endpoints: priced("0.000003", "0.000001", 1000),
          listing: { benchmarks: benchmarks(3, 1300) }
        }),
        model(`${author}/none`, { created: 0, endpoints: priced("-1", "-1", 1) })
      )
      const { now } = world.installation.clock
      const at = (millis: number) => new Date(now - millis).toISOString()
      const used = (slug: string, tokens: number, latency_ms: number, throughput: number) => ({
        model: `${author}/${slug}`,
        created_at: at(60_000),
        endpoint_tag: "acme/fp8",
        prompt_tokens: tokens,
        completion_tokens: throughput,
        latency_ms,
        generation_ms: 1000
      })
      await record(
        world,
        used("a", 10, 300, 30),
        used("b", 40, 200, 20),
        used("c", 1, 400, 40),
        // A week ago, and of an account that tells of itself.
        { model: `${author}/a`, created_at: at(7 * 86_400_000), prompt_tokens: 1_000 }
      )
      const reported = await world.call("recordUsageEvents", {
        key: world.managementKey,
        body: {
          events: [
            {
              ...used("none", 1_000_000, 1, 1_000_000),
              id: crypto.randomUUID(),
              provider: "acme",
              cost_usd: "0"
            }
          ]
        }
      })
      assert.strictEqual(reported.status, 200, reported.text)
      for (const sort of modelSorts) assert.deepEqual(await slugsOf(world, author, { sort }), expected[sort], sort)
      return read(world, { model_authors: author })
    }
  },
  {
    name: "a model is measured once a minute, whichever list and account asks",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      await list(world, model(`${author}/a`), model(`${author}/b`))
      const used = (slug: string, latency_ms: number) => ({
        model: `${author}/${slug}`,
        created_at: new Date(world.installation.clock.now).toISOString(),
        endpoint_tag: "acme/fp8",
        latency_ms
      })
      await record(world, used("a", 300), used("b", 200))
      const sort = { sort: "latency-low-to-high" }
      assert.deepEqual(await slugsOf(world, author, sort), ["b", "a"])
      await record(world, used("a", 100), used("a", 100))
      const other = { ...sort, output_modalities: "text" }
      assert.deepEqual(await slugsOf(world, author, other), ["b", "a"])
      assert.deepEqual(await slugsOf(await world.other(), author, { ...sort, min_price: "0" }), ["b", "a"])
      world.installation.clock.now += 61_000
      assert.deepEqual(await slugsOf(world, author, other), ["a", "b"])
      return read(world, { model_authors: author, ...sort })
    }
  },
  {
    name: "what is measured may be a minute old",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      await list(world, model(`${author}/a`), model(`${author}/b`))
      const sort = { sort: "top-weekly" }
      assert.deepEqual(await slugsOf(world, author, sort), ["a", "b"])
      const created_at = new Date(world.installation.clock.now).toISOString()
      await record(world, { model: `${author}/b`, created_at, prompt_tokens: 1 })
      world.installation.clock.now += 61_000
      assert.deepEqual(await slugsOf(world, author, sort), ["b", "a"])
      return read(world, { model_authors: author, ...sort })
    }
  }
]
