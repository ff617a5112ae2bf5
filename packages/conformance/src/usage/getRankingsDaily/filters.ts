/** Datasets of some requests only: modalities and context lengths. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { list, model } from "../../model/catalog.ts"
import { own, type Query, rank, scene, shows } from "./scene.ts"

export const filters: readonly Case[] = [
  shows("modalities of the event, else of the catalog at that time; tool calls; context lengths", async (world) => {
    const author = await scene(
      world,
      ["m"],
      [
        ["2025-03-15", "m", 1],
        ["2025-03-15", "m", 10, { input_modalities: ["text", "image"], output_modalities: ["image"] }],
        ["2025-03-15", "m", 100, { input_modalities: ["text"], output_modalities: [], tool_calls: 2 }],
        ["2025-03-15", "m", 1000, { input_modalities: ["file"], output_modalities: ["text"] }],
        ["2025-03-15", "m", 10_000, { tool_calls: 1 }],
        ["2025-03-15", "m", 0, { input_modalities: ["image"], output_modalities: ["text"], tool_calls: 1 }]
      ],
      { architecture: { input_modalities: ["audio"], output_modalities: ["text"] } }
    )
    // What is recorded stays, whatever the catalog says later.
    await list(
      world,
      model(`${author}/m`, { architecture: { input_modalities: ["image"], output_modalities: ["image"] } })
    )
    const window = { start_date: "2025-03-15", end_date: "2025-03-15" }
    const total = async (query: Query) => own(await rank(world, { ...window, ...query }), author)[0]?.[2]
    assert.strictEqual(await total({ modality: "text" }), "11001")
    assert.strictEqual(await total({ modality: "image_output" }), "10")
    assert.strictEqual(await total({ modality: "image" }), "10")
    assert.strictEqual(await total({ modality: "audio" }), "10001")
    assert.strictEqual(await total({ modality: "tool_calling" }), "10100")
    assert.strictEqual(await total({ modality: "tool_calling", context_bucket: "1K" }), "100")
    assert.strictEqual(await total({ modality: "image", context_bucket: "10M" }), undefined)
    return rank(world, window)
  }),
  shows("context lengths by prompt tokens, each bound belonging to the lower one", async (world) => {
    const bounds = [0, 1000, 1001, 10_000, 10_001, 100_000, 100_001, 1_000_000, 1_000_001, 10_000_001]
    const author = await scene(
      world,
      ["m"],
      bounds.map((tokens) => ["2025-03-16", "m", tokens, { completion_tokens: 2_000_000 }] as const)
    )
    const window = { start_date: "2025-03-16", end_date: "2025-03-16" }
    for (const [context_bucket, expected] of Object.entries({
      "1K": 1000,
      "10K": 11_001,
      "100K": 110_001,
      "1M": 1_100_001,
      "10M": 11_000_002
    })) {
      const answer = await rank(world, { ...window, context_bucket })
      assert.deepEqual(own(answer, author), [["2025-03-16", "m", String(expected + 4_000_000)]])
    }
    return rank(world, window)
  })
]
