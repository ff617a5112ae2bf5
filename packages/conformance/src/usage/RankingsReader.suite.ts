/** Holds a store to the meaning of rankings: random catalogs, events and requests, against an oracle. */
import type { CatalogModel, RankingsModality } from "@gatewarden/contract/internal"
import {
  ModelCatalog,
  RankingsReader,
  type RankingsRequest,
  type StorePorts,
  type TokenTotal,
  UsageLog
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import * as fc from "fast-check"
import { expectedRankings, type Listed } from "./rankingsOracle.ts"
import { catalogModel } from "../model/catalogModel.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { endpointTags, isPublicEvent } from "./publicUsage.ts"
import { usageEventArbitrary } from "./usageEventArbitrary.ts"

/** After every day that is ranked here. */
const now = Date.parse("2026-03-04T12:00:00.000Z")

/** Names around the border of fifty, with ties that only code points break, variants, aliases and models that stay private. */
const slugs = [
  ...Array.from({ length: 60 }, (_, index) => `acme/model-${index}`),
  "acme/\uffee",
  "acme/\u{1f600}",
  "Acme/upper",
  "acme/a'b\\{,}"
]
const slug = fc.constantFrom(...slugs)
const variant = fc.constantFrom("", "", "", "free", "beta")

const named = (name: string, suffix: string) => (suffix === "" ? name : `${name}:${suffix}`)

const model: fc.Arbitrary<CatalogModel> = fc
  .record({
    id: fc.tuple(fc.oneof({ weight: 4, arbitrary: slug }, fc.constantFrom("alias/one", "alias/two")), variant),
    canonical: fc.option(fc.tuple(slug, variant), { nil: undefined, freq: 3 }),
    public: fc.constantFrom(true, true, true, true, false)
  })
  .map(({ id, canonical, public: shown }) => {
    const name = named(...id)
    return catalogModel(name, {
      canonical_slug: canonical === undefined ? name : named(...canonical),
      public: shown
    })
  })

const models = fc.uniqueArray(model, { selector: ({ id }) => id, maxLength: 6 })

/** Days on both sides of the borders of weeks, months and years, and instants on both sides of the borders of days. */
const days = ["2024-12-30", "2024-12-31", "2025-01-01", "2025-11-30", "2025-12-01", "2025-12-28", "2025-12-29"]
const moreDays = ["2025-12-31", "2026-01-01", "2026-01-04", "2026-01-05", "2026-01-31", "2026-02-01", "2026-02-02"]
const day = fc.constantFrom(...days, ...moreDays)
const instant = fc
  .tuple(day, fc.constantFrom("00:00:00.000", "12:00:00.000", "23:59:59.999"))
  .map(([date, time]) => `${date}T${time}Z`)

const modalities = fc.option(fc.uniqueArray(fc.constantFrom("text", "image", "audio", "file"), { maxLength: 3 }), {
  freq: 4
})
const tokens = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) },
  fc.constantFrom(1000, Number.MAX_SAFE_INTEGER)
)

const event = usageEventArbitrary({
  created_at: instant,
  recorded_at: fc.integer({ min: 0, max: 5_000_000 }).map((back) => new Date(now - back).toISOString()),
  model: fc.oneof({ weight: 12, arbitrary: slug }, fc.constantFrom("acme/unknown", "other")),
  variant,
  prompt_tokens: tokens,
  completion_tokens: tokens,
  tool_calls: fc.constantFrom(0, 0, 1),
  context_length_bucket: fc.constantFrom("1K", "10K", "10M"),
  input_modalities: modalities,
  output_modalities: modalities,
  category: fc.constantFrom(null, "programming", "marketing", "marketing/seo"),
  language_type: fc.constantFrom(null, "natural", "programming"),
  sample_weight: fc.constantFrom(1, 1, 0.1, 0.25, 0.5, 2.5, 10.4999999999, 1e-9, 3e21),
  self_reported: fc.constantFrom(false, false, false, true),
  endpoint_tag: endpointTags
})

const modality: fc.Arbitrary<RankingsModality> = fc.constantFrom(
  "text",
  "image",
  "image_output",
  "audio",
  "tool_calling"
)

const request: fc.Arbitrary<RankingsRequest> = fc
  .record({
    window: fc.tuple(day, day),
    period: fc.constantFrom("day", "week", "month"),
    filter: fc.oneof(
      fc.constant({}),
      fc.record({ modality, context_bucket: fc.constantFrom("1K", "10K", "100K", "10M") }, { requiredKeys: [] }),
      fc.record({ category: fc.constantFrom("programming", "marketing", "marketing/seo", "legal") }),
      fc.record({ language_type: fc.constantFrom("natural", "programming") })
    )
  })
  .map(({ window, period, filter }) => {
    const [first, last] = window[0] <= window[1] ? window : [window[1], window[0]]
    return { ...(filter as Partial<RankingsRequest>), period: period as RankingsRequest["period"], first, last }
  })

/** An event on every model, so that more than fifty are ranked. */
const crowd = fc
  .tuple(instant, fc.array(event, { minLength: slugs.length, maxLength: slugs.length, size: "max" }))
  .map(([created_at, events]) => events.map((event, index) => ({ ...event, created_at, model: slugs[index] ?? "" })))

const everyModel = fc.constant(slugs.map((id) => catalogModel(id)))

/** The tokens of every name, whether the catalog has it or not. */
const expectedTotals = (
  { first, last }: RankingsRequest,
  recorded: Parameters<typeof expectedRankings>[1]
): TokenTotal[] => {
  const totals = new Map<string, TokenTotal>()
  for (const event of recorded) {
    const { created_at, model: slug, variant, prompt_tokens, completion_tokens } = event
    const day = created_at.slice(0, 10)
    if (!isPublicEvent(event) || day < first || day > last) continue
    const name = JSON.stringify([slug, variant])
    const tokens = BigInt(prompt_tokens) + BigInt(completion_tokens) + (totals.get(name)?.tokens ?? 0n)
    if (tokens > 0n) totals.set(name, { slug, variant, tokens })
  }
  return [...totals.values()]
}

/** What a run does, in turn: the catalog changes, events are recorded, and questions are asked. */
const step = fc.oneof(
  { weight: 1, arbitrary: fc.oneof(models, everyModel).map((list) => ({ kind: "list", models: list }) as const) },
  {
    weight: 3,
    arbitrary: fc
      .oneof({ weight: 5, arbitrary: fc.array(event, { maxLength: 60 }) }, crowd)
      .map((list) => ({ kind: "record", events: list }) as const)
  },
  { weight: 4, arbitrary: request.map((asked) => ({ kind: "ask", asked }) as const) }
)

/**
 * Registers the property for a store. Rankings are of the whole installation, so the runs go on where the last one ended: the
 * store fills, and the oracle with it.
 */
export const rankingsAgreement = (
  name: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  options: { readonly runs?: number } = {}
): void => {
  describe(`rankings on ${name}`, () => {
    const run = storeUnderTest(makeStore, now)
    const account = crypto.randomUUID()
    const catalog = new Map<string, Listed>()
    const recorded: Parameters<typeof expectedRankings>[1][number][] = []
    /** By question and edition. */
    const answers = new Map<string, string>()
    const edition = (asked: RankingsRequest) => run(Effect.flatMap(RankingsReader, (port) => port.edition(asked)))

    it("are what the oracle says", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          for (const step of steps) {
            switch (step.kind) {
              case "list": {
                const listed_at = new Date(now - recorded.length).toISOString()
                await run(Effect.flatMap(ModelCatalog, (port) => port.upsert(step.models, listed_at)))
                for (const model of step.models) {
                  const known = catalog.get(model.id)
                  const same =
                    known?.model.public === model.public && known.model.canonical_slug === model.canonical_slug
                  catalog.set(model.id, { model, listed_at: same ? known.listed_at : listed_at })
                }
                break
              }
              case "record": {
                await run(Effect.flatMap(UsageLog, (port) => port.record(account, Stream.succeed(step.events))))
                const known = new Set(recorded.map(({ id }) => id))
                for (const event of step.events)
                  if (!known.has(event.id)) {
                    known.add(event.id)
                    recorded.push(event)
                  }
                break
              }
              case "ask": {
                const before = await edition(step.asked)
                const answered = await run(Effect.flatMap(RankingsReader, (port) => port.rank(step.asked)))
                if (before !== undefined) {
                  const place = JSON.stringify([step.asked, before])
                  const known = answers.get(place)
                  if (known !== undefined) assert.strictEqual(JSON.stringify(answered), known)
                  answers.set(place, JSON.stringify(answered))
                }
                assert.deepEqual(answered, expectedRankings(step.asked, recorded, [...catalog.values()]))
                const totals = await run(Effect.flatMap(RankingsReader, (port) => port.totals(step.asked)))
                assert.sameDeepMembers([...totals], expectedTotals(step.asked, recorded))
              }
            }
          }
        }),
        { numRuns: options.runs ?? 100 }
      )
    })
  })
}
