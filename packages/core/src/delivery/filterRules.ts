/**
 * The filter rules of a destination, ready to judge events.
 *
 * Rule: observability#filter-rules. All groups must match; the logic of a group is inside it. A regular expression runs in steps, also where
 * content filters have a native engine, whose search cannot be left: a long search holds up nothing else, and its bound is in instructions,
 * so that it is the same in every process.
 */
import type { DestinationFilterRules } from "@gatewarden/contract/internal"
import { RE2JS } from "re2js"
import { keptPatterns, re2jsEngine, spanOf } from "../filter/patterns/re2jsEngine.ts"
import { re2ProgramOf, requiredStrings } from "../filter/patterns/re2Program.ts"
import { steppedSearch } from "../filter/patterns/steppedSearch.ts"
import { searchesBodies } from "../destination/requirePrompts.ts"
import type { UsageEvent } from "../ports/usage.ts"
import { positionIn } from "./positionIn.ts"
import { compareToDecimal, type Decimal, formatDecimal, parseDecimal } from "../value/money.ts"
import type { Step } from "../value/inSlices.ts"

type Rule = DestinationFilterRules["groups"][number]["rules"][number]
type Field = Rule["field"]
type Operator = Rule["operator"]

/** Characters of the text of a body that rules search. */
export const searchedCharacters = 65_536

/** Instructions that the regular expressions of all rules may take for one event, and for the events of an account that are recorded together. */
const mostForEvent = 5_000_000
const mostTogether = 50_000_000
/** Instructions of one step: a fraction of a slice. */
const inStep = 25_000
/** What compiling a pattern takes, for each instruction of its program. */
const compilingOne = 200

/** Characters that all other rules may search for one event, and for the events of an account that are recorded together. */
const mostSearchedForEvent = 20_000_000
const mostSearchedTogether = 200_000_000
/** What judging a rule takes beside its search, in characters. */
const judgingOne = 50

/** What rules judge. */
export interface JudgedEvent {
  readonly event: UsageEvent
  readonly api_key_name: string | null
  /** The searched text of each body; `null` where the event was reported without it. */
  readonly input: string | null
  readonly output: string | null
}

/** The instructions and characters that are left for an event; `isExceeded` if a rule needed more. */
export interface SearchBudget {
  left: number
  characters: number
  isExceeded: boolean
  /** Patterns that were compiled for the events recorded together. */
  readonly compiled: Set<string>
}

/** What is left for the events of an account that are recorded together, and how many of these needed more. */
export interface SharedBudget {
  left: number
  characters: number
  exceeded: number
  readonly compiled: Set<string>
}

export const sharedBudget = (): SharedBudget => ({
  left: mostTogether,
  characters: mostSearchedTogether,
  exceeded: 0,
  compiled: new Set()
})

/** Runs steps that judge one event, and takes what they spend from what is shared. */
export function* spending<A>(
  shared: SharedBudget,
  steps: (budget: SearchBudget) => Generator<Step, A>
): Generator<Step, A> {
  const given = Math.min(mostForEvent, shared.left)
  const characters = Math.min(mostSearchedForEvent, shared.characters)
  const budget: SearchBudget = { left: given, characters, isExceeded: false, compiled: shared.compiled }
  const result = yield* steps(budget)
  shared.left -= given - budget.left
  shared.characters -= characters - budget.characters
  if (budget.isExceeded) shared.exceeded++
  return result
}

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
  starts_with: (text, value) => text.startsWith(value),
  ends_with: (text, value) => text.endsWith(value)
}

/** Whether the text has the value. What is left for the event falls by the characters that were searched. */
const isFound = (text: string, value: string, budget: SearchBudget): boolean => {
  const position = positionIn(text, value)
  budget.characters -= position === -1 ? text.length : position + value.length
  return position !== -1
}

const compile = (pattern: string) => {
  const program = re2ProgramOf(RE2JS.compile(pattern))
  return { program, strings: requiredStrings(program.required) }
}

const kept = keptPatterns<ReturnType<typeof compile>>(200)

/** A match of no characters is none, as in content filters. A search that exceeds its budget finds nothing. */
function* finds(pattern: string, text: string, budget: SearchBudget) {
  const spend = (instructions: number) => (budget.left -= instructions)
  if (budget.left > 0) {
    const isNew = !budget.compiled.has(pattern)
    yield isNew ? ("long" as const) : undefined
    const { program, strings } = kept(re2jsEngine, pattern, () => compile(pattern))
    if (isNew) {
      budget.compiled.add(pattern)
      spend(compilingOne * program.inst.length)
    }
    spend(program.inst.length + text.length / 10)
    if (strings?.every((one) => !text.includes(one)) === true) return false
    const { search, work } = steppedSearch(program, text, inStep)
    for (let from = 0; budget.left > 0;) {
      const found = search(from)
      spend(1 + work())
      if (found === undefined) return false
      if (found !== "paused") {
        if (found.end > found.start) return true
        from = spanOf(text, found.start, found.end).end
      }
      yield
    }
  }
  budget.isExceeded = true
  return false
}

type Judge = (judged: JudgedEvent, budget: SearchBudget) => Generator<Step, boolean>

const compileRule = ({ field, operator, value }: Rule): Judge => {
  const positive = negated[operator] ?? operator
  const isNegated = positive !== operator
  const number = numbers[field]
  const text = texts[field]
  const written = value === undefined ? undefined : String(value)
  let parsed: { readonly number: Decimal | undefined } | undefined
  // Not before an event needs it: a destination may have thousands of rules, which are compiled at once.
  const wantedNumber = () => (parsed ??= { number: value === undefined ? undefined : parseDecimal(value) }).number
  const compare = ordered[positive]

  return function* (judged, budget) {
    // Fails closed: a rule that cannot be judged any more does not hold, negated or not.
    if (positive !== "regex") {
      if (budget.characters <= 0) {
        budget.isExceeded = true
        return false
      }
      budget.characters -= judgingOne
    }
    const own = number?.(judged.event)
    const found = own === undefined ? (text?.(judged) ?? null) : printed(own)
    if (positive === "exists") return (found !== null) !== isNegated
    // A rule that lacks its value can hold of nothing.
    if (written === undefined) return false
    if (found === null) return isNegated
    const wanted = compare !== undefined || own !== undefined ? wantedNumber() : undefined
    if (compare !== undefined) {
      const compared = own ?? parseDecimal(found)
      return compared !== undefined && wanted !== undefined && compare(compareDecimals(compared, wanted))
    }
    if (positive === "regex") return yield* finds(written, found, budget)
    if (own !== undefined && positive === "equals")
      return (wanted !== undefined && compareDecimals(own, wanted) === 0) !== isNegated
    const holds = positive === "contains" ? isFound(found, written, budget) : inText[positive]?.(found, written)
    return (holds ?? false) !== isNegated
  }
}

/** `null`: nothing is filtered. */
export const compileRules = (rules: DestinationFilterRules | null): CompiledRules | null => {
  if (rules === null || !rules.enabled) return null
  const fields = new Set(rules.groups.flatMap((group) => group.rules.map(({ field }) => field)))
  const groups = rules.groups
    .filter((group) => group.rules.length > 0)
    .map(({ logic, rules: own }) => ({ any: logic === "or", judges: own.map(compileRule) }))
  return {
    needsBodies: searchesBodies(rules),
    needsKeyName: fields.has("api_key_name"),
    judge: function* (judged, budget) {
      for (const { any, judges } of groups) {
        // The first rule that decides: one that holds for `or`, one that does not for `and`.
        let holds = !any
        for (const judge of judges) {
          const isHeld = yield* judge(judged, budget)
          yield
          if (isHeld !== any) continue
          holds = any
          break
        }
        if (!holds) return false
      }
      return true
    }
  }
}
