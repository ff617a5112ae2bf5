/** Computes the shares of tasks from their sums (Rule: datasets#task-classifications). */
import type { MacroCategoryKey, TaskClassifications } from "@gatewarden/contract/internal"
import { compareText } from "../../value/text.ts"
import type { Decimal } from "../../value/money.ts"
import type { SampledSums, TaskSums } from "../../ports/analytics.ts"
import { macroCategoryOf } from "./datasetRules.ts"

const labels: Readonly<Record<MacroCategoryKey, string>> = {
  code: "Code",
  data: "Data",
  agent: "Agent",
  general: "General"
}

/** Decimals of a share. */
const places = 10n ** 9n

/** The part of a whole, rounded half up; a part of nothing is 0. */
const shareOf = (part: Decimal, whole: Decimal): number => {
  const above = part.digits * 10n ** BigInt(whole.scale) * places
  const below = whole.digits * 10n ** BigInt(part.scale)
  return below === 0n ? 0 : Number((2n * above + below) / (2n * below)) / Number(places)
}

const add = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale)
  const at = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own)
  return { digits: at(a) + at(b), scale }
}

const none: SampledSums = { requests: { digits: 0n, scale: 0 }, tokens: { digits: 0n, scale: 0 } }

const sumOf = (all: readonly SampledSums[]): SampledSums =>
  all.reduce(
    (sum, { requests, tokens }) => ({ requests: add(sum.requests, requests), tokens: add(sum.tokens, tokens) }),
    none
  )

/** `General impl` for `code:general_impl`. */
const displayName = (tag: string): string => {
  const words = tag
    .slice(tag.indexOf(":") + 1)
    .replace(/_+/g, " ")
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const shareTasks = (
  tasks: readonly TaskSums[]
): Pick<TaskClassifications, "classifications" | "macro_categories"> => {
  const all = sumOf(tasks)
  const ofCategory = (key: MacroCategoryKey) => sumOf(tasks.filter(({ tag }) => macroCategoryOf(tag) === key))
  const keys = Object.keys(labels) as MacroCategoryKey[]
  const categories = Object.fromEntries(keys.map((key) => [key, ofCategory(key)])) as Record<
    MacroCategoryKey,
    SampledSums
  >
  const classifications = tasks.map(({ tag, models, ...sums }) => {
    const macro_category = macroCategoryOf(tag)
    const category = categories[macro_category]
    return {
      tag,
      display_name: displayName(tag),
      macro_category,
      usage_share: shareOf(sums.requests, all.requests),
      token_share: shareOf(sums.tokens, all.tokens),
      category_usage_share: shareOf(sums.requests, category.requests),
      category_token_share: shareOf(sums.tokens, category.tokens),
      models: models.map((model) => ({
        id: model.model_permaslug,
        tag_usage_share: shareOf(model.requests, sums.requests),
        tag_token_share: shareOf(model.tokens, sums.tokens)
      }))
    }
  })
  return {
    // Rounded shares may be equal where the sums are not.
    classifications: classifications.sort((a, b) => b.usage_share - a.usage_share || compareText(a.tag, b.tag)),
    macro_categories: keys.map((key) => ({
      key,
      label: labels[key],
      usage_share: shareOf(categories[key].requests, all.requests),
      token_share: shareOf(categories[key].tokens, all.tokens)
    }))
  }
}
