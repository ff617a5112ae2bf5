import { Effect } from "effect"
import type { Decimal } from "../value/money.ts"
import { joinVariant } from "../catalog/modelNames.ts"
import { isPublicUsage } from "../usage/recordUsageEvents.ts"
import { addSample, isCounted, nothing, rankDays, roundHalfUp } from "../usage/rankings/rankings.ts"
import { RankingsReader, type TokenTotal } from "../ports/analytics.ts"
import { bucketOf, sampledBucketOf } from "../usage/rankings/window.ts"
import { publicModels } from "./tables/publicModels.ts"
import type { Tables } from "./tables/Tables.ts"

interface Sum {
  readonly date: string
  readonly model_permaslug: string
  readonly tokens: Decimal
  readonly recorded_at: string
}

export const rankingsReader = (tables: Tables) =>
  RankingsReader.of({
    rank: (request) =>
      Effect.sync(() => {
        const sampled = request.category !== undefined || request.language_type !== undefined
        const entries = [...tables.models.of(null).values()]
        const isPublic = publicModels(tables)

        const sums = new Map<string, Sum>()
        for (const event of [...tables.usageEvents.values()].flatMap((ofAccount) => [...ofAccount.values()])) {
          const day = event.created_at.slice(0, 10)
          const model_permaslug = joinVariant({ slug: event.model, variant: event.variant })
          if (!isPublicUsage(event) || day < request.first || day > request.last || !isCounted(event, request)) continue
          if (!isPublic(event.model, event.variant)) continue
          const date = (sampled ? sampledBucketOf : bucketOf)(request.period, day)
          const sum = sums.get(`${date} ${model_permaslug}`)
          const tokens = BigInt(event.prompt_tokens) + BigInt(event.completion_tokens)
          sums.set(`${date} ${model_permaslug}`, {
            date,
            model_permaslug,
            tokens: addSample(sum?.tokens ?? nothing, tokens, sampled ? event.sample_weight : 1),
            recorded_at: sum !== undefined && sum.recorded_at > event.recorded_at ? sum.recorded_at : event.recorded_at
          })
        }
        const shown = [...sums.values()]
          .map(({ tokens, ...sum }) => ({ ...sum, total_tokens: roundHalfUp(tokens) }))
          .filter(({ total_tokens }) => total_tokens > 0n)
        const changes = [
          ...shown.map(({ recorded_at }) => recorded_at),
          ...entries.map(({ listed_at }) => listed_at)
        ].sort()
        return {
          rows: rankDays(shown.map(({ recorded_at: _, ...sum }) => sum)),
          changed_at: changes.at(-1) ?? null
        }
      }),
    edition: () => Effect.undefined,
    totals: ({ first, last }) =>
      Effect.sync(() => {
        const totals = new Map<string, TokenTotal>()
        for (const event of [...tables.usageEvents.values()].flatMap((ofAccount) => [...ofAccount.values()])) {
          const day = event.created_at.slice(0, 10)
          if (!isPublicUsage(event) || day < first || day > last) continue
          const name = { slug: event.model, variant: event.variant }
          const place = joinVariant(name)
          const tokens = BigInt(event.prompt_tokens) + BigInt(event.completion_tokens)
          totals.set(place, { ...name, tokens: (totals.get(place)?.tokens ?? 0n) + tokens })
        }
        return [...totals.values()].filter(({ tokens }) => tokens > 0n)
      })
  })
