/**
 * The orders of model lists. Models without the value come last, whatever the direction; of equal values the smaller id is first.
 *
 * Rule: models#filters-of-model-lists.
 */
import type { CatalogModel, ModelSort } from "@gatewarden/contract"
import { isKnownPrice, unitsOf } from "../value/priceUnits.ts"
import { largestContext } from "./listedModel.ts"

/** What was measured of a model; `undefined`: nothing. */
export interface ModelMeasures {
  /** Prompt and completion of the last seven days. */
  readonly tokens?: bigint | undefined
  /** The best median of an endpoint: milliseconds to the first token, tokens a second. */
  readonly latency?: number | undefined
  readonly throughput?: number | undefined
}

interface Row {
  readonly value: (model: CatalogModel, measures: ModelMeasures) => number | bigint | null | undefined
  readonly direction: "ascending" | "descending"
  /** What has to be measured first. */
  readonly needs?: "tokens" | "speed"
}

/** Prompt and completion together: the order of their average. */
const price: Row["value"] = ({ endpoints: [first] }) => {
  if (first === undefined) return undefined
  const { prompt, completion } = first.pricing
  return isKnownPrice(prompt) && isKnownPrice(completion) ? unitsOf(prompt) + unitsOf(completion) : undefined
}

const popularity: Row = { value: (_, { tokens }) => tokens, direction: "descending", needs: "tokens" }

const indexed = (name: "intelligence_index" | "coding_index" | "agentic_index"): Row => ({
  value: ({ listing }) => listing.benchmarks?.artificial_analysis?.[name],
  direction: "descending"
})

export const modelSortRows: Readonly<Record<ModelSort, Row>> = {
  "most-popular": popularity,
  "top-weekly": popularity,
  newest: { value: ({ created }) => created, direction: "descending" },
  "pricing-low-to-high": { value: price, direction: "ascending" },
  "pricing-high-to-low": { value: price, direction: "descending" },
  "context-high-to-low": { value: ({ endpoints }) => largestContext(endpoints), direction: "descending" },
  "throughput-high-to-low": { value: (_, { throughput }) => throughput, direction: "descending", needs: "speed" },
  "latency-low-to-high": { value: (_, { latency }) => latency, direction: "ascending", needs: "speed" },
  "intelligence-high-to-low": indexed("intelligence_index"),
  "coding-high-to-low": indexed("coding_index"),
  "agentic-high-to-low": indexed("agentic_index"),
  "design-arena-elo-high-to-low": {
    value: ({ listing }) => {
      const scores = (listing.benchmarks?.design_arena ?? []).map(({ elo }) => elo)
      return scores.length === 0 ? undefined : Math.max(...scores)
    },
    direction: "descending"
  }
}

/** The models, which are by id, in the order of the sort. */
export const sortedModels = <M extends CatalogModel>(
  models: readonly M[],
  sort: ModelSort,
  measuresOf: (model: M) => ModelMeasures
): readonly M[] => {
  const { value, direction } = modelSortRows[sort]
  const sign = direction === "ascending" ? 1 : -1
  return models
    .map((model) => ({ model, value: value(model, measuresOf(model)) ?? undefined }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined)
      return a.value === b.value ? 0 : a.value < b.value ? -sign : sign
    })
    .map(({ model }) => model)
}
