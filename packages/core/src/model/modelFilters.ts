/**
 * The filters of model lists: a row for each, whether a model passes.
 *
 * Rule: models#filters-of-model-lists. A model without the value that a filter compares does not pass.
 */
import { type CatalogModel, defaultOutputModalities, type ModelQuery, type Region } from "@gatewarden/contract/internal"
import { isKnownPrice, parseUsd, unitsOf, unitsPerNano } from "../value/money.ts"
import { foldModelName, providerNamesOf } from "../catalog/modelNames.ts"
import { authorOf, largestContext, parametersOf } from "./modelSorts.ts"
import { dayMillis } from "../value/calendar.ts"

type Passes = (model: CatalogModel) => boolean

/** What a request may leave out it leaves out. */
export type ModelFilter = Partial<Omit<ModelQuery, "limit" | "offset" | "sort" | "use_rss">>

const wordsOf = (list: string): readonly string[] =>
  list
    .split(",")
    .map(foldModelName)
    .filter((word) => word !== "")

const hasAll = (wanted: readonly string[], names: Iterable<string>): boolean => {
  const folded = new Set(Array.from(names, foldModelName))
  return wanted.every((word) => folded.has(word))
}

const hasOne = (wanted: readonly string[], names: Iterable<string>): boolean => {
  for (const name of names) if (wanted.includes(foldModelName(name))) return true
  return false
}

/** Passes what lies between the bounds, if there is one. */
const between = (
  least: number | undefined,
  most: number | undefined,
  valueOf: (model: CatalogModel) => number | null | undefined
): Passes | undefined =>
  least === undefined && most === undefined
    ? undefined
    : (model) => {
        const value = valueOf(model)
        return value != null && (least === undefined || value >= least) && (most === undefined || value <= most)
      }

const tokensOfPrice = 1_000_000n

/** Of the first endpoint, as lists show it; exact. `usd` is for a million tokens. */
const priced = (
  least: number | undefined,
  most: number | undefined,
  field: "prompt" | "completion"
): Passes | undefined => {
  if (least === undefined && most === undefined) return undefined
  const bound = (usd: number | undefined) => {
    const nanos = usd === undefined ? undefined : parseUsd(usd)
    return nanos === undefined ? undefined : nanos * unitsPerNano
  }
  const [from, to] = [bound(least), bound(most)]
  return ({ endpoints: [first] }) => {
    if (first === undefined || !isKnownPrice(first.pricing[field])) return false
    const price = unitsOf(first.pricing[field]) * tokensOfPrice
    return (from === undefined || price >= from) && (to === undefined || price <= to)
  }
}

const regions: Readonly<Record<NonNullable<ModelQuery["region"]>, Region>> = { eu: "europe", us: "us" }

const isSearched = (text: string): Passes => {
  const wanted = foldModelName(text)
  return ({ id, canonical_slug, name }) => [id, canonical_slug, name].some((one) => foldModelName(one).includes(wanted))
}

/** What the endpoint of a request must have: one endpoint has all of it. */
const servedBy = ({ providers, zdr, region }: ModelFilter): Passes | undefined => {
  const names = providers === undefined ? undefined : wordsOf(providers)
  const data_region = region === undefined ? undefined : regions[region]
  if (names === undefined && data_region === undefined && zdr !== true) return undefined
  return ({ endpoints }) =>
    endpoints.some(
      (endpoint) =>
        (names === undefined || hasOne(names, providerNamesOf(endpoint))) &&
        (data_region === undefined || endpoint.data_regions.includes(data_region)) &&
        (zdr !== true || endpoint.zero_data_retention)
    )
}

const given = <V>(value: V | undefined, passes: (value: V) => Passes | undefined): Passes | undefined =>
  value === undefined ? undefined : passes(value)

const rows: readonly ((filter: ModelFilter, now: number) => Passes | undefined)[] = [
  ({ output_modalities = defaultOutputModalities }) => {
    const wanted = wordsOf(output_modalities)
    if (wanted.includes("all")) return undefined
    return ({ architecture }) => hasOne(wanted, architecture.output_modalities)
  },
  ({ input_modalities }) =>
    given(input_modalities, (list) => {
      const wanted = wordsOf(list)
      return ({ architecture }) => hasAll(wanted, architecture.input_modalities)
    }),
  ({ q }) => given(q, isSearched),
  ({ category }) =>
    given(
      category,
      (wanted) =>
        ({ listing }) =>
          (listing.categories ?? []).some((one) => one === wanted || one.startsWith(`${wanted}/`))
    ),
  ({ supported_parameters }) =>
    given(supported_parameters, (list) => {
      const wanted = wordsOf(list)
      return ({ endpoints }) => hasAll(wanted, parametersOf(endpoints))
    }),
  ({ context }) =>
    given(
      context,
      (least) =>
        ({ endpoints }) =>
          largestContext(endpoints) >= least
    ),
  ({ min_price, max_price }) => priced(min_price, max_price, "prompt"),
  ({ min_output_price, max_output_price }) => priced(min_output_price, max_output_price, "completion"),
  ({ arch }) =>
    given(
      arch,
      (wanted) =>
        ({ architecture }) =>
          foldModelName(architecture.tokenizer ?? "") === foldModelName(wanted)
    ),
  ({ model_authors }) =>
    given(model_authors, (list) => {
      const wanted = wordsOf(list)
      return ({ id }) => hasOne(wanted, [authorOf(id)])
    }),
  servedBy,
  ({ distillable }) =>
    given(
      distillable,
      (wanted) =>
        ({ listing }) =>
          (listing.distillable === true) === (wanted === "true")
    ),
  ({ min_age_days, max_age_days }, now) =>
    between(min_age_days, max_age_days, ({ created }) => (now - created * 1000) / dayMillis),
  (filter) =>
    between(
      filter.min_intelligence_index,
      filter.max_intelligence_index,
      ({ listing }) => listing.benchmarks?.artificial_analysis?.intelligence_index
    ),
  (filter) =>
    between(
      filter.min_coding_index,
      filter.max_coding_index,
      ({ listing }) => listing.benchmarks?.artificial_analysis?.coding_index
    ),
  (filter) =>
    between(
      filter.min_agentic_index,
      filter.max_agentic_index,
      ({ listing }) => listing.benchmarks?.artificial_analysis?.agentic_index
    ),
  (filter) =>
    between(filter.min_tool_success_rate, filter.max_tool_success_rate, ({ listing }) => listing.tool_success_rate)
]

/** Whether a model passes all filters. `now`: epoch milliseconds. */
export const passing = (filter: ModelFilter, now: number): Passes => {
  const set = rows.flatMap((row) => row(filter, now) ?? [])
  return (model) => set.every((passes) => passes(model))
}
