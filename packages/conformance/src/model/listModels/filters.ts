/** Which models pass a filter. */
import { assert } from "@effect/vitest"
import { type Case, refused } from "../../http/Case.ts"
import { endpoint, list, model, newAuthor } from "../catalog.ts"
import { type Query, read, slugsOf } from "./reading.ts"

type Fields = Readonly<Record<string, unknown>>

/** Models by slug, and which of them each query lists. */
const filters = (
  name: string,
  models: Readonly<Record<string, Fields>>,
  expected: readonly (readonly [query: Query, slugs: readonly string[]])[]
): Case => ({
  name: `filter: ${name}`,
  status: 200,
  run: async (world) => {
    const author = newAuthor()
    await list(world, ...Object.entries(models).map(([slug, fields]) => model(`${author}/${slug}`, fields)))
    for (const [query, slugs] of expected)
      assert.deepEqual(await slugsOf(world, author, query), slugs, JSON.stringify(query))
    return read(world, { model_authors: author })
  }
})

const architecture = (input: readonly string[], output: readonly string[], tokenizer = "Other"): Fields => ({
  architecture: { input_modalities: input, output_modalities: output, tokenizer }
})

const priced = (prompt: string, completion = "0"): Fields => ({
  endpoints: [
    endpoint({ pricing: { prompt, completion } }),
    endpoint({ tag: "b", pricing: { prompt: "9", completion: "9" } })
  ]
})

const indices = (intelligence: number | null, coding: number | null, agentic: number | null): Fields => ({
  listing: {
    benchmarks: {
      artificial_analysis: { intelligence_index: intelligence, coding_index: coding, agentic_index: agentic }
    }
  }
})

/** The models of the bounds in the order `low`, `middle`, `none`. */
const ranges = (bound: string, low: string, middle: string): readonly (readonly [Query, readonly string[]])[] => [
  [{ [`min_${bound}`]: middle }, ["middle"]],
  [{ [`max_${bound}`]: low }, ["low"]],
  [{ [`min_${bound}`]: low, [`max_${bound}`]: middle }, ["low", "middle"]],
  [{ [`min_${bound}`]: "null", [`max_${bound}`]: "" }, ["low", "middle", "none"]]
]

const day = 86_400

export const filterCases: readonly Case[] = [
  filters(
    "what a model writes: text, unless the request says otherwise",
    {
      text: architecture(["text"], ["text"]),
      image: architecture(["text"], ["image"]),
      both: architecture(["text"], ["text", "image"]),
      embeddings: architecture(["text"], ["embeddings"]),
      silent: architecture([], [])
    },
    [
      [{}, ["both", "text"]],
      [{ output_modalities: "image" }, ["both", "image"]],
      [{ output_modalities: "Embeddings, image" }, ["both", "embeddings", "image"]],
      [{ output_modalities: "all" }, ["both", "embeddings", "image", "silent", "text"]],
      [{ output_modalities: "" }, []]
    ]
  ),
  filters(
    "what a model reads: all that are named",
    { a: architecture(["text", "image"], ["text"]), b: architecture(["text"], ["text"]) },
    [
      [{ input_modalities: "text,image" }, ["a"]],
      [{ input_modalities: "text" }, ["a", "b"]],
      [{ input_modalities: "text,audio" }, []]
    ]
  ),
  filters(
    "parameters, of any endpoints together",
    {
      a: {
        endpoints: [
          endpoint({ supported_parameters: ["seed"] }),
          endpoint({ tag: "b", supported_parameters: ["tools"] })
        ]
      },
      b: { endpoints: [endpoint({ supported_parameters: ["tools"] })] }
    },
    [
      [{ supported_parameters: "tools" }, ["a", "b"]],
      [{ supported_parameters: "tools,seed" }, ["a"]]
    ]
  ),
  filters("part of the name, the id or the canonical slug", { a: { name: "Grand SONNET" }, sonnet: {}, c: {} }, [
    [{ q: "sonnet" }, ["a", "sonnet"]],
    [{ q: "grand s" }, ["a"]],
    [{ q: "author-" }, ["a", "c", "sonnet"]]
  ]),
  filters(
    "category, with those below it",
    {
      a: { listing: { categories: ["marketing/seo"] } },
      b: { listing: { categories: ["legal", "marketing"] } },
      c: {}
    },
    [
      [{ category: "marketing" }, ["a", "b"]],
      [{ category: "marketing/seo" }, ["a"]],
      [{ category: "legal" }, ["b"]]
    ]
  ),
  filters(
    "the largest context of an endpoint",
    { a: { endpoints: [endpoint({ context_length: 100 }), endpoint({ tag: "b", context_length: 200 })] }, b: {} },
    [
      [{ context: "200" }, ["a", "b"]],
      [{ context: "201" }, ["b"]]
    ]
  ),
  filters(
    "price of the prompt, for a million tokens, of the first endpoint; exact",
    { low: priced("0.0000003"), middle: priced("0.000000300000000000000001"), none: priced("-1") },
    [
      [{ max_price: "0.3" }, ["low"]],
      [{ min_price: "0.3" }, ["low", "middle"]],
      [{ max_price: "0.300000001" }, ["low", "middle"]],
      [{ max_price: "3e-1" }, ["low"]],
      [{ min_price: "0.300000001" }, []]
    ]
  ),
  filters(
    "price of the completion",
    { low: priced("1", "0.000002"), middle: priced("1", "0.000003"), none: priced("1", "-1") },
    ranges("output_price", "2", "3")
  ),
  filters("family", { a: architecture(["text"], ["text"], "GPT"), b: architecture(["text"], ["text"], "Claude") }, [
    [{ arch: "gpt" }, ["a"]],
    [{ arch: "Claude" }, ["b"]]
  ]),
  filters(
    "one endpoint with the provider, the region and zero retention",
    {
      a: { endpoints: [endpoint({ provider_slug: "beta", data_regions: ["europe"], zero_data_retention: true })] },
      b: {
        endpoints: [
          endpoint({ provider_slug: "beta", data_regions: ["us"] }),
          endpoint({ tag: "b", data_regions: ["europe"], zero_data_retention: true })
        ]
      },
      c: {}
    },
    [
      [{ providers: "Beta" }, ["a", "b"]],
      [{ providers: "beta,acme" }, ["a", "b", "c"]],
      [{ region: "eu" }, ["a", "b"]],
      [{ region: "us" }, ["b"]],
      [{ zdr: "true" }, ["a", "b"]],
      [{ zdr: "false" }, ["a", "b", "c"]],
      [{ zdr: "true", providers: "beta" }, ["a"]],
      [{ zdr: "true", region: "us" }, []]
    ]
  ),
  filters(
    "whether others may train on what it writes",
    { a: { listing: { distillable: true } }, b: { listing: { distillable: false } }, c: {} },
    [
      [{ distillable: "true" }, ["a"]],
      [{ distillable: "false" }, ["b", "c"]]
    ]
  ),
  filters(
    "intelligence",
    { low: indices(1.5, null, null), middle: indices(50, 0, 0), none: {} },
    ranges("intelligence_index", "1.5", "50")
  ),
  filters(
    "coding",
    { low: indices(99, 2, null), middle: indices(null, 50.25, 0), none: {} },
    ranges("coding_index", "2", "50.25")
  ),
  filters(
    "agentic work",
    { low: indices(99, null, 0), middle: indices(null, 0, 50), none: {} },
    ranges("agentic_index", "0", "50")
  ),
  filters(
    "success with tools",
    { low: { listing: { tool_success_rate: 0.25 } }, middle: { listing: { tool_success_rate: 1 } }, none: {} },
    ranges("tool_success_rate", "0.25", "1")
  ),
  {
    name: "filter: age in days",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      const now = Math.floor(world.installation.clock.now / 1000)
      await list(
        world,
        model(`${author}/new`, { created: now - day + 10 }),
        model(`${author}/old`, { created: now - 10 * day }),
        model(`${author}/week`, { created: now - 7 * day })
      )
      assert.deepEqual(await slugsOf(world, author, { min_age_days: "7" }), ["old", "week"])
      assert.deepEqual(await slugsOf(world, author, { max_age_days: "7" }), ["new", "week"])
      assert.deepEqual(await slugsOf(world, author, { min_age_days: "1", max_age_days: "9" }), ["week"])
      world.installation.clock.now += 61_000
      assert.deepEqual(await slugsOf(world, author, { max_age_days: "7" }), ["new"], "a minute later")
      return read(world, { model_authors: author })
    }
  },
  ...[
    ["sort", "newest-first"],
    ["category", "cooking"],
    ["region", "europe"],
    ["zdr", "yes"],
    ["distillable", ""],
    ["context", "0"],
    ["min_price", "-1"],
    ["max_price", "0.0000000001"],
    ["max_output_price", "1e10"],
    ["min_age_days", "1.5"],
    ["max_coding_index", "much"],
    ["min_tool_success_rate", "1.01"]
  ].map(([field = "", value = ""]) =>
    refused("listModels", `${field} ${value}`, { query: { [field]: value } }, { path: `query.${field}` })
  )
]
