/**
 * A provider's account of days and models, what usage comes to for them, and the adjustments that would make both equal.
 *
 * Rule: usage#reconciliation.
 */
import { formatUsd, parseDecimal } from "@gatewarden/core/internal"
import { parse } from "csv-parse/sync"
import { createHash } from "node:crypto"
import { failed } from "../failure/Failed.ts"

/** Of one day and model. Amounts are nano-dollars. */
export interface DayOfModel {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly model: string
  readonly nanos: bigint
  /** `null`: the provider does not tell. */
  readonly tokens: bigint | null
}

export interface Difference {
  readonly date: string
  readonly model: string
  readonly billed: bigint
  readonly recorded: bigint
  readonly billed_tokens: bigint | null
  readonly recorded_tokens: bigint
}

/** An exported event, as far as an adjustment restates it. */
export type ExportedEvent = Readonly<Record<string, unknown>> & { readonly id: string; readonly cost_usd: string }

/** Half a nano-dollar is rounded up. Undefined for what is no amount of at least 0. */
export const nanosOf = (text: string): bigint | undefined => {
  const decimal = parseDecimal(text.trim())
  if (decimal === undefined || decimal.digits < 0n) return undefined
  const { digits, scale } = decimal
  if (scale <= 9) return digits * 10n ** BigInt(9 - scale)
  const unit = 10n ** BigInt(scale - 9)
  return (digits + unit / 2n) / unit
}

const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const required = ["date", "model", "cost_usd"] as const
const counts = ["prompt_tokens", "completion_tokens"] as const

type Row = Readonly<Record<string, string>>

const tokensOf = (row: Row): bigint | null | undefined => {
  const given = counts.map((name) => row[name]?.trim() ?? "").filter((text) => text !== "")
  if (given.length === 0) return null
  return given.every((text) => /^\d{1,16}$/.test(text))
    ? given.reduce((sum, text) => sum + BigInt(text), 0n)
    : undefined
}

/** What a provider billed, by day and model. Throws `Failed` for what is no such file. */
export const readBill = (text: string): readonly DayOfModel[] => {
  const rows = rowsOf(text)
  const missing = required.filter((name) => rows[0] !== undefined && !Object.hasOwn(rows[0], name))
  if (missing.length > 0) throw failed("file", `The header does not name ${missing.join(", ")}`)
  const days = new Map<string, DayOfModel>()
  for (const [index, row] of rows.entries()) {
    const date = row["date"]?.trim() ?? ""
    const model = row["model"]?.trim() ?? ""
    const nanos = nanosOf(row["cost_usd"] ?? "")
    const tokens = tokensOf(row)
    const wrong = !isDay(date) ? "date" : model === "" ? "model" : nanos === undefined ? "cost_usd" : "tokens"
    if (wrong !== "tokens" || nanos === undefined || tokens === undefined)
      throw failed("file", `Record ${index + 1} has no valid ${wrong}`)
    const place = `${date} ${model}`
    const known = days.get(place)
    days.set(place, {
      ...{ date, model, nanos: nanos + (known?.nanos ?? 0n) },
      tokens: tokens === null && known?.tokens == null ? null : (tokens ?? 0n) + (known?.tokens ?? 0n)
    })
  }
  return [...days.values()]
}

const rowsOf = (text: string): readonly Row[] => {
  try {
    return parse(text, { bom: true, columns: true, skip_empty_lines: true })
  } catch (cause) {
    throw failed("file", `The file is no CSV with a header: ${cause instanceof Error ? cause.message : "unreadable"}`)
  }
}

/** The recorded name that a provider's name stands for: the same, or the only one with this name after its last slash. */
export const namesOf = (recorded: readonly string[]): ((billed: string) => string) => {
  const all = new Set(recorded)
  return (billed) => {
    if (all.has(billed)) return billed
    const [only, ...more] = [...all].filter((name) => name.slice(name.lastIndexOf("/") + 1) === billed)
    return only !== undefined && more.length === 0 ? only : billed
  }
}

/** Every day and model that either side has, by day, then model. */
export const compare = (
  billed: readonly DayOfModel[],
  recorded: readonly (DayOfModel & { readonly tokens: bigint })[]
): readonly Difference[] => {
  const nameOf = namesOf(recorded.map(({ model }) => model))
  const rows = new Map<string, Difference>()
  const put = (date: string, model: string, add: (row: Difference) => Partial<Difference>) => {
    const place = `${date} ${model}`
    const none = { date, model, billed: 0n, recorded: 0n, billed_tokens: null, recorded_tokens: 0n }
    const row = rows.get(place) ?? none
    rows.set(place, { ...row, ...add(row) })
  }
  for (const { date, model, nanos, tokens } of recorded)
    put(date, model, (row) => ({
      recorded: row.recorded + nanos,
      recorded_tokens: row.recorded_tokens + tokens
    }))
  for (const { date, model, nanos, tokens } of billed)
    put(date, nameOf(model), (row) => ({
      billed: row.billed + nanos,
      billed_tokens: tokens === null ? row.billed_tokens : (row.billed_tokens ?? 0n) + tokens
    }))
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)
}

/**
 * Splits an amount in proportion to weights, to the nano-dollar: what rounding leaves goes to the first ones. Without any weight, in equal
 * parts.
 */
export const split = (amount: bigint, weights: readonly bigint[]): readonly bigint[] => {
  const sum = weights.reduce((all, weight) => all + weight, 0n)
  if (sum === 0n)
    return weights.length === 0
      ? []
      : split(
          amount,
          weights.map(() => 1n)
        )
  const parts = weights.map((weight) => (amount * weight) / sum)
  let left = amount - parts.reduce((all, part) => all + part, 0n)
  return parts.map((part, index) => {
    if (left === 0n || weights[index] === 0n) return part
    left -= 1n
    return part + 1n
  })
}

const restated = [
  ...["created_at", "model", "provider", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens"],
  ...["cache_write_tokens", "byok_cost_usd", "cost_components"]
]

/**
 * The same for the same event and amount, so that a proposal that is imported twice counts once. `was`: what the event counts for now, so that an amount
 * can be restored.
 */
const adjustmentId = (id: string, was: string, is: string): string =>
  `reconciled-${createHash("sha256")
    .update(JSON.stringify([id, was, is]))
    .digest("hex")
    .slice(0, 40)}`

/** The events of a day and model that cost what the provider billed together. Those that stay the same have no adjustment. */
export const adjustmentsOf = (
  events: readonly ExportedEvent[],
  billed: bigint
): readonly Readonly<Record<string, unknown>>[] => {
  const costs = events.map(({ cost_usd }) => nanosOf(cost_usd) ?? 0n)
  const shares = split(billed, costs)
  return events.flatMap((event, index) => {
    const share = shares[index] ?? 0n
    if (share === costs[index]) return []
    const cost_usd = formatUsd(share)
    const kept = restated.flatMap((name) => (Object.hasOwn(event, name) ? [[name, event[name]]] : []))
    return [
      { id: adjustmentId(event.id, event.cost_usd, cost_usd), adjusts: event.id, ...Object.fromEntries(kept), cost_usd }
    ]
  })
}
