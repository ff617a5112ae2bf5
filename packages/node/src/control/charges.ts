/**
 * Usage summed to charges: a charge for each day (UTC) and all that tells charges apart.
 *
 * Amounts and tokens are exact integers. They cross the border to the process of the store as decimal texts.
 */
import { clockToleranceMillis, joinVariant } from "@gatewarden/core/internal"
import type { UsageEvent } from "@gatewarden/core/store"
import * as z from "zod"

/** What tells charges apart. */
const dimensions = {
  day: ({ created_at }) => created_at.slice(0, 10),
  correction: (event) => (isCorrection(event) ? "yes" : null),
  workspace_id: ({ workspace_id }) => workspace_id,
  api_key_hash: ({ api_key_hash }) => api_key_hash,
  user_id: ({ user_id }) => user_id,
  external_user: ({ external_user }) => external_user,
  app: ({ app }) => app,
  model: ({ model, variant }) => joinVariant({ slug: model, variant }),
  provider: ({ provider }) => provider,
  endpoint_tag: ({ endpoint_tag }) => endpoint_tag,
  data_region: ({ data_region }) => data_region,
  tags: ({ classifiers }) => tagsOf(classifiers)
} as const satisfies Record<string, (event: UsageEvent) => string | null>

/** What is added up. An adjustment is no request. */
const sums = {
  requests: ({ adjusts }) => (adjusts === null ? 1 : 0),
  byok_requests: ({ adjusts, byok }) => (adjusts === null && byok ? 1 : 0),
  prompt_tokens: ({ prompt_tokens }) => prompt_tokens,
  completion_tokens: ({ completion_tokens }) => completion_tokens,
  reasoning_tokens: ({ reasoning_tokens }) => reasoning_tokens,
  cached_tokens: ({ cached_tokens }) => cached_tokens,
  cache_write_tokens: ({ cache_write_tokens }) => cache_write_tokens,
  cost_nanos: ({ cost_nanos }) => cost_nanos,
  byok_cost_nanos: ({ byok_cost_nanos }) => byok_cost_nanos
} as const satisfies Record<string, (event: UsageEvent) => number | bigint>

export type Dimension = keyof typeof dimensions
export type Sum = keyof typeof sums

export interface Charge {
  readonly of: Readonly<Record<Dimension, string | null>>
  readonly sums: Readonly<Record<Sum, bigint>>
}

const readers = Object.entries(dimensions) as [Dimension, (event: UsageEvent) => string | null][]
const counters = Object.entries(sums) as [Sum, (event: UsageEvent) => number | bigint][]

/** The instant at which the month of an instant is over, and the clocks of all who report for it. */
const finalAt = (created_at: string): number => {
  const time = new Date(created_at)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1) + clockToleranceMillis
}

/** Recorded after the invoice of its month was final. Rule: usage#invoices. */
const isCorrection = ({ adjusts, created_at, recorded_at }: UsageEvent): boolean =>
  adjusts !== null && Date.parse(recorded_at) >= finalAt(created_at)

/** One level of names, as FOCUS has it. Tags come in the order of their names. */
const tagsOf = (classifiers: UsageEvent["classifiers"]): string | null => {
  const tags = Object.entries(classifiers ?? {}).flatMap(([classifier, values]) =>
    Object.entries(values).map(([name, value]) => [`${classifier}/${name}`, value] as const)
  )
  if (tags.length === 0) return null
  return JSON.stringify(Object.fromEntries(tags.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))))
}

export type Charges = Map<string, Charge>

const put = (charges: Charges, charge: Charge): void => {
  const place = JSON.stringify(Object.values(charge.of))
  const known = charges.get(place)
  charges.set(place, known === undefined ? charge : { of: charge.of, sums: added(known.sums, charge.sums) })
}

const added = (a: Charge["sums"], b: Charge["sums"]): Charge["sums"] =>
  Object.fromEntries(counters.map(([name]) => [name, a[name] + b[name]])) as Charge["sums"]

const chargeOf = (event: UsageEvent): Charge => ({
  of: Object.fromEntries(readers.map(([name, read]) => [name, read(event)])) as Charge["of"],
  sums: Object.fromEntries(counters.map(([name, count]) => [name, BigInt(count(event))])) as Charge["sums"]
})

/** In the order in which the first event of each comes. */
export const chargesOf = (events: readonly UsageEvent[]): readonly Charge[] => {
  const charges: Charges = new Map()
  for (const event of events) put(charges, chargeOf(event))
  return [...charges.values()]
}

/** A charge as plain JSON. */
export const PrintedCharge = z.object({
  of: z.record(z.enum(Object.keys(dimensions) as [Dimension, ...Dimension[]]), z.string().nullable()),
  sums: z.record(z.enum(Object.keys(sums) as [Sum, ...Sum[]]), z.string())
})

export const printCharge = ({ of, sums }: Charge): z.output<typeof PrintedCharge> => ({
  of,
  sums: Object.fromEntries(counters.map(([name]) => [name, String(sums[name])])) as Record<Sum, string>
})

export const readCharge = ({ of, sums }: z.output<typeof PrintedCharge>): Charge => ({
  of,
  sums: Object.fromEntries(counters.map(([name]) => [name, BigInt(sums[name])])) as Charge["sums"]
})

/**
 * Adds charges up while they are of one day, and hands out what is complete. No more than `most` are in memory: what is handed out before
 * its day is over has a second charge for the rest.
 */
export const chargesByDay = (most: number) => {
  let charges: Charges = new Map()
  let day: string | null = null
  const take = (): readonly Charge[] => {
    const taken = [...charges.values()]
    charges = new Map()
    return taken
  }
  return {
    /** What is complete, in stretches of at most `most`. */
    add: (more: readonly Charge[]): readonly (readonly Charge[])[] =>
      more.flatMap((charge) => {
        const isFull = charges.size >= most
        const due = charges.size > 0 && (isFull || charge.of.day !== day) ? [take()] : []
        day = charge.of.day
        put(charges, charge)
        return due
      }),
    rest: take
  }
}
