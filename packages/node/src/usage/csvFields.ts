/**
 * The columns of a CSV file: fields of a usage event by their names, and what a cell of each stands for.
 *
 * An empty cell is an absent field. A part of `cost_components` may be a column of its own, `cost_components.<name>`.
 */
import { costComponents, nearestName, type SentUsageEvent } from "@gatewarden/contract/internal"

type Cell = (text: string) => unknown

/** What is no number, flag or JSON stays a text, and the contract says what is wrong with it. */
const text: Cell = (cell) => cell
const number: Cell = (cell) => {
  const asked = digitsOf(cell)
  if (asked === undefined) return cell
  const made = Number(cell)
  // A number that would lose digits stays a text, and is refused as one.
  return asked === digitsOf(String(made)) ? made : cell
}

/** Digits and exponent, alike for all spellings of one number; undefined for what is no number. */
const digitsOf = (text: string): string | undefined => {
  const [isNumber, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (isNumber === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, "")
  // The lookbehind keeps this linear in the zeros of a long cell.
  const significant = digits.replace(/(?<!0)0+$/, "")
  if (significant === "") return "0"
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
const flags: Readonly<Record<string, boolean>> = { true: true, t: true, 1: true, false: false, f: false, 0: false }
const flag: Cell = (cell) => flags[cell.toLowerCase()] ?? cell
const json: Cell = (cell) => {
  try {
    return JSON.parse(cell) as unknown
  } catch {
    return cell
  }
}

const fields: Readonly<Record<keyof SentUsageEvent, Cell>> = {
  id: text,
  account_id: text,
  adjusts: text,
  created_at: text,
  model: text,
  provider: text,
  api_key_hash: text,
  workspace_id: text,
  user_id: text,
  external_user: text,
  app: text,
  origin: text,
  app_categories: json,
  country: text,
  endpoint_tag: text,
  prompt_tokens: number,
  completion_tokens: number,
  reasoning_tokens: number,
  cached_tokens: number,
  cache_write_tokens: number,
  tool_calls: number,
  cost_usd: text,
  byok: flag,
  byok_cost_usd: text,
  cost_components: json,
  status: text,
  finish_reason: text,
  latency_ms: number,
  generation_ms: number,
  session_id: text,
  trace: json,
  data_region: text,
  input_modalities: json,
  output_modalities: json,
  category: text,
  language_type: text,
  sample_weight: number,
  classifiers: json,
  guardrail_invoked: flag,
  guardrail_id: text,
  response_cached: flag,
  input: json,
  output: json
}

const required = ["created_at", "model", "provider", "prompt_tokens", "completion_tokens", "cost_usd"] as const

const known: readonly string[] = [...Object.keys(fields), ...costComponents.map((name) => `cost_components.${name}`)]

export interface Header {
  readonly names: readonly string[]
  /** Columns that are no field, with what each may mean. */
  readonly warnings: readonly string[]
}

/** The columns that a header names, or why it cannot be one. */
export const readHeader = (cells: readonly string[]): Header | { readonly problem: string } => {
  const names = cells.map((cell) => cell.trim())
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) !== index)
  if (twice !== undefined) return { problem: `The header names ${JSON.stringify(twice)} twice` }
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0) return { problem: `The header does not name ${missing.join(", ")}` }
  const warnings = names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known)
      return `The column ${JSON.stringify(name)} is ignored${nearest === undefined ? "" : `; is it ${nearest}?`}`
    })
  return { names, warnings }
}

/** Whether a column of this name is read. */
export const isField = (name: string): boolean => known.includes(name)

/** The event that the cells of a record stand for. */
export const eventOfCells = ({ names }: Header, cells: readonly string[]): Readonly<Record<string, unknown>> =>
  eventOfValues(names.map((name, index) => [name, cells[index]]))

/** The event of values by the names of their columns. A text is read as a cell; an empty one, or nothing, is an absent field. */
export const eventOfValues = (
  values: readonly (readonly [name: string, value: unknown])[]
): Readonly<Record<string, unknown>> => {
  const event: Record<string, unknown> = {}
  const components: Record<string, unknown> = {}
  for (const [name, value] of values) {
    if (value === "" || value === null || value === undefined) continue
    if (name.startsWith(componentPrefix)) components[name.slice(componentPrefix.length)] = value
    else if (Object.hasOwn(fields, name))
      event[name] = typeof value === "string" ? fields[name as keyof SentUsageEvent](value) : value
  }
  if (Object.keys(components).length === 0) return event
  const whole = event["cost_components"]
  return { ...event, cost_components: typeof whole === "object" ? { ...whole, ...components } : components }
}

const componentPrefix = "cost_components."
