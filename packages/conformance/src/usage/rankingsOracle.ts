/**
 * What rankings are, worked out the long way from the rules (Rule: rankings#rows, rankings#periods); shares no code with the core.
 */
import type { CatalogModel } from "@gatewarden/contract"
import type { Rankings, RankingsRequest, UsageEvent } from "@gatewarden/core/store"
import { isPublicEvent } from "./publicUsage.ts"

/** A model as the catalog lists it, and when that began. */
export interface Listed {
  readonly model: CatalogModel
  readonly listed_at: string
}

const dayOf = (text: string): Date => new Date(`${text.slice(0, 10)}T00:00:00Z`)
const written = (date: Date): string => date.toISOString().slice(0, 10)

const mondayOf = (day: Date): Date => {
  const monday = new Date(day)
  while (monday.getUTCDay() !== 1) monday.setUTCDate(monday.getUTCDate() - 1)
  return monday
}

const bucketName = (period: RankingsRequest["period"], sampled: boolean, created_at: string): string => {
  const day = dayOf(created_at)
  const counted = sampled ? mondayOf(day) : day
  if (period === "week") return written(mondayOf(counted))
  return period === "month" ? `${written(counted).slice(0, 7)}-01` : written(counted)
}

const variantOf = (name: string): string => /^[^/]*\/[^/]+?:([^:/]+)$/.exec(name)?.[1] ?? ""

export const isPublicModel = (event: UsageEvent, catalog: readonly Listed[]): boolean => {
  const named = catalog.map(({ model }) => ({
    canonical: model.canonical_slug,
    slug: model.canonical_slug.replace(/:[^:/]+$/, ""),
    variant: variantOf(model.canonical_slug) || variantOf(model.id),
    shown: model.public
  }))
  const own = named.filter(({ slug }) => slug === event.model)
  const choices = [
    own.filter(({ variant }) => variant === event.variant),
    event.variant === "" ? own.filter(({ canonical }) => canonical === event.model) : [],
    own.filter(({ variant }) => variant === ""),
    own.filter(({ canonical }) => canonical === event.model)
  ]
  return (choices.find((entries) => entries.length > 0) ?? []).some(({ shown }) => shown)
}

const isAsked = (event: UsageEvent, request: RankingsRequest): boolean => {
  if (!isPublicEvent(event)) return false
  const has = (list: readonly string[] | null, word: string) => list !== null && list.includes(word)
  switch (request.modality) {
    case "text":
      if (!has(event.output_modalities, "text")) return false
      break
    case "image_output":
      if (!has(event.output_modalities, "image")) return false
      break
    case "image":
      if (!has(event.input_modalities, "image")) return false
      break
    case "audio":
      if (!has(event.input_modalities, "audio")) return false
      break
    case "tool_calling":
      if (event.tool_calls === 0) return false
  }
  if (request.context_bucket !== undefined && event.context_length_bucket !== request.context_bucket) return false
  if (request.language_type !== undefined && event.language_type !== request.language_type) return false
  const wanted = request.category
  if (wanted === undefined) return true
  return event.category === wanted || (event.category ?? "").split("/").slice(0, -1).join("/") === wanted
}

/** A positive number as a fraction of whole numbers, by what it is written as. */
const fractionOf = (weight: number): readonly [bigint, bigint] => {
  const plain = weight >= 1e21 ? BigInt(weight).toString() : weight.toFixed(12).replace(/0+$/, "")
  const [whole = "0", decimals = ""] = plain.split(".")
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)]
}

/** Characters, not halves of them. */
const before = (a: string, b: string): boolean => {
  const [x, y] = [[...a], [...b]].map((letters) => letters.map((letter) => letter.codePointAt(0) ?? 0))
  for (let index = 0; ; index++) {
    const [left, right] = [x?.[index], y?.[index]]
    if (left === right && left !== undefined) continue
    return (left ?? -1) < (right ?? -1)
  }
}

export const expectedRankings = (
  request: RankingsRequest,
  events: readonly UsageEvent[],
  catalog: readonly Listed[]
): Rankings => {
  const sampled = request.category !== undefined || request.language_type !== undefined
  const counted = events.filter(
    (event) =>
      event.created_at >= `${request.first}T00:00:00.000Z` &&
      event.created_at <= `${request.last}T23:59:59.999Z` &&
      isAsked(event, request) &&
      isPublicModel(event, catalog)
  )
  const changes = catalog.map(({ listed_at }) => listed_at)
  const rows: Rankings["rows"][number][] = []
  const dates = [...new Set(counted.map(({ created_at }) => bucketName(request.period, sampled, created_at)))].sort()
  for (const date of dates) {
    const ofBucket = counted.filter(({ created_at }) => bucketName(request.period, sampled, created_at) === date)
    const names = new Set(ofBucket.map(({ model, variant }) => (variant === "" ? model : `${model}:${variant}`)))
    const totals: { readonly name: string; readonly total: bigint }[] = []
    for (const name of names) {
      const own = ofBucket.filter(({ model, variant }) => name === (variant === "" ? model : `${model}:${variant}`))
      let numerator = 0n
      let denominator = 1n
      for (const event of own) {
        const [over, under] = sampled ? fractionOf(event.sample_weight) : [1n, 1n]
        const tokens = BigInt(event.prompt_tokens) + BigInt(event.completion_tokens)
        numerator = numerator * under + tokens * over * denominator
        denominator *= under
      }
      const whole = numerator / denominator
      const total = 2n * (numerator - whole * denominator) >= denominator ? whole + 1n : whole
      if (total === 0n) continue
      totals.push({ name, total })
      changes.push(...own.map(({ recorded_at }) => recorded_at))
    }
    totals.sort((a, b) => (a.total !== b.total ? (a.total > b.total ? -1 : 1) : before(a.name, b.name) ? -1 : 1))
    let rest = 0n
    totals.forEach(({ name, total }, index) => {
      if (index < 50) rows.push({ date, model_permaslug: name, total_tokens: String(total) })
      else rest += total
    })
    if (rest > 0n) rows.push({ date, model_permaslug: "other", total_tokens: String(rest) })
  }
  return { rows, changed_at: changes.sort().at(-1) ?? null }
}
