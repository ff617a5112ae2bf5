/**
 * The filter rules of a destination, ready to judge events.
 *
 * Rule: observability#filter-rules. All groups must match; the logic of a group is inside it. A regular expression runs on the engine of
 * content filters in steps, so that a long search holds up nothing else, and with a bound that is the same in every process.
 */
import type { DestinationFilterRules } from "@gatewarden/contract"
import { finderOf } from "../filter/patterns/finderOf.ts"
import type { PatternEngineFunctions } from "../filter/patterns/re2jsEngine.ts"
import { searchesBodies } from "../observability/searchesBodies.ts"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import { compareToDecimal, type Decimal, formatDecimal, parseDecimal } from "../value/Decimal.ts"
import type { Step } from "../value/inSlices.ts"

type Rule = DestinationFilterRules["groups"][number]["rules"][number]
type Field = Rule["field"]
type Operator = Rule["operator"]

/** Characters of the text of a body that rules search. */
export const searchedCharacters = 65_536

/** Searches of regular expressions and their pauses for one event; a search that needs more finds nothing. */
const mostSearches = 2_000

/** What rules judge. */
export interface JudgedEvent {
  readonly event: UsageEvent
  readonly api_key_name: string | null
  /** The searched text of each body; `null` where the event was reported without it. */
  readonly input: string | null
  readonly output: string | null
}

/** How many searches are left for an event. */
export interface SearchBudget {
  left: number
}

export const searchBudget = (): SearchBudget => ({ left: mostSearches })

export interface CompiledRules {
  readonly judge: (judged: JudgedEvent, budget: SearchBudget) => Generator<Step, boolean>
  readonly needsBodies: boolean
  readonly needsKeyName: boolean
}

const nanosPlaces = 9

/** Whole nano-dollars and counts as exact numbers. */
const numbers: { readonly [F in Field]?: (event: UsageEvent) => Decimal } = {
  total_cost: ({ cost_nanos, byok_cost_nanos }) => ({ digits: cost_nanos + byok_cost_nanos, scale: nanosPlaces }),
  total_tokens: ({ prompt_tokens, completion_tokens }) => ({
    digits: BigInt(prompt_tokens) + BigInt(completion_tokens),
    scale: 0
  }),
  prompt_tokens: ({ prompt_tokens }) => ({ digits: BigInt(prompt_tokens), scale: 0 }),
  completion_tokens: ({ completion_tokens }) => ({ digits: BigInt(completion_tokens), scale: 0 })
}

const texts: { readonly [F in Field]?: (judged: JudgedEvent) => string | null } = {
  model: ({ event: { model, variant } }) => (variant === "" ? model : `${model}:${variant}`),
  provider: ({ event }) => event.provider,
  session_id: ({ event }) => event.session_id,
  user_id: ({ event }) => event.user_id ?? event.external_user,
  api_key_name: ({ api_key_name }) => api_key_name,
  finish_reason: ({ event }) => event.finish_reason,
  input: ({ input }) => input,
  output: ({ output }) => output
}

/** Exact: both are brought to one scale. */
const compareDecimals = (a: Decimal, b: Decimal): number =>
  compareToDecimal(a.digits, { digits: b.digits * 10n ** BigInt(a.scale), scale: b.scale })

/** Plain digits without zeros at the end, as amounts are printed. */
const printed = (number: Decimal): string => {
  const text = formatDecimal(number)
  return number.scale === 0 ? text : text.replace(/\.?0+$/, "")
}

const negated: { readonly [O in Operator]?: Operator } = {
  not_equals: "equals",
  not_contains: "contains",
  not_exists: "exists"
}

const ordered: { readonly [O in Operator]?: (order: number) => boolean } = {
  gt: (order) => order > 0,
  lt: (order) => order < 0,
  gte: (order) => order >= 0,
  lte: (order) => order <= 0
}

const inText: { readonly [O in Operator]?: (text: string, value: string) => boolean } = {
  equals: (text, value) => text === value,
  contains: (text, value) => text.includes(value),
  starts_with: (text, value) => text.startsWith(value),
  ends_with: (text, value) => text.endsWith(value)
}

/** A match of no characters is none, as in content filters. */
function* finds(engine: PatternEngineFunctions, pattern: string, text: string, budget: SearchBudget) {
  if (budget.left <= 0) return false
  yield "long" as const
  const search = finderOf(engine, pattern).search(text)
  for (let from = 0; budget.left > 0;) {
    budget.left--
    const span = search(from)
    if (span === undefined) return false
    if (span.end > span.start) return true
    from = span.end
    yield
  }
  return false
}

type Judge = (judged: JudgedEvent, budget: SearchBudget) => Generator<Step, boolean>

const compileRule = ({ field, operator, value }: Rule, engine: PatternEngineFunctions): Judge => {
  const positive = negated[operator] ?? operator
  const isNegated = positive !== operator
  const number = numbers[field]
  const text = texts[field]
  const written = value === undefined ? undefined : String(value)
  const wanted = value === undefined ? undefined : parseDecimal(value)
  const compare = ordered[positive]

  return function* (judged, budget) {
    const own = number?.(judged.event)
    const found = own === undefined ? (text?.(judged) ?? null) : printed(own)
    if (positive === "exists") return (found !== null) !== isNegated
    // A rule that lacks its value can hold of nothing.
    if (written === undefined) return false
    if (found === null) return isNegated
    if (compare !== undefined) {
      const compared = own ?? parseDecimal(found)
      return compared !== undefined && wanted !== undefined && compare(compareDecimals(compared, wanted))
    }
    if (positive === "regex") return yield* finds(engine, written, found, budget)
    if (own !== undefined && positive === "equals")
      return (wanted !== undefined && compareDecimals(own, wanted) === 0) !== isNegated
    return (inText[positive]?.(found, written) ?? false) !== isNegated
  }
}

/** `null`: nothing is filtered. */
export const compileRules = (
  rules: DestinationFilterRules | null,
  engine: PatternEngineFunctions
): CompiledRules | null => {
  if (rules === null || !rules.enabled) return null
  const fields = new Set(rules.groups.flatMap((group) => group.rules.map(({ field }) => field)))
  const groups = rules.groups
    .filter((group) => group.rules.length > 0)
    .map(({ logic, rules: own }) => ({ any: logic === "or", judges: own.map((rule) => compileRule(rule, engine)) }))
  return {
    needsBodies: searchesBodies(rules),
    needsKeyName: fields.has("api_key_name"),
    judge: function* (judged, budget) {
      for (const { any, judges } of groups) {
        // The first rule that decides: one that holds for `or`, one that does not for `and`.
        let holds = !any
        for (const judge of judges)
          if ((yield* judge(judged, budget)) === any) {
            holds = any
            break
          }
        if (!holds) return false
        yield
      }
      return true
    }
  }
}
