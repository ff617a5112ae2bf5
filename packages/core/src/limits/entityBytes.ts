/**
 * Bounds an entity as a whole: each of its lists has a bound of its own, and together they could still be many megabytes.
 *
 * Rule: requests#entity-sizes. Entities that were stored before the bound may be larger, and may be changed as long as they do not grow.
 */
import type { Issue } from "@gatewarden/contract"
import { BadRequest } from "../failure.ts"

/** The most bytes of UTF-8 that the JSON of an entity's own fields takes. */
export const maxEntityBytes = 1_048_576

/** A write was refused, and nothing was written: the entity would take so many bytes. */
export interface Oversized {
  readonly oversized: number
}

/** What the server sets. Ciphertexts are bounded by what they encrypt. */
const notOwn = new Set([
  "id",
  "account_id",
  "workspace_id",
  "label",
  "sort_order",
  "sealed_key",
  "created_at",
  "updated_at"
])

const utf8 = new TextEncoder()

/** The bytes of the fields that requests set. */
export const entityBytes = (entity: object): number =>
  utf8.encode(JSON.stringify(Object.fromEntries(Object.entries(entity).filter(([name]) => !notOwn.has(name))))).length

/** Refuses an entity above the bound. `before`: the stored entity that the write changes; its size is accepted again. */
export const oversized = (before: object | undefined, after: object): Oversized | undefined => {
  const bytes = entityBytes(after)
  if (bytes <= maxEntityBytes || (before !== undefined && bytes <= entityBytes(before))) return undefined
  return { oversized: bytes }
}

/** Tells a refusal from the other outcomes of a port. */
export const isOversized = <A>(outcome: A): outcome is Extract<A, Oversized> =>
  typeof outcome === "object" && outcome !== null && "oversized" in outcome

/** The longest of the fields that the request sent: what its author shortens first. */
const longestOf = (sent: object): string => {
  const sizes = Object.entries(sent).map(([name, value]) => [name, (JSON.stringify(value) ?? "").length] as const)
  return sizes.reduce((most, one) => (one[1] > most[1] ? one : most), ["", -1] as const)[0]
}

/** `noun`: of the entity, as its author calls it. `sent`: the fields of the request. */
export const entityTooLarge = (noun: string, { oversized: bytes }: Oversized, sent: object) => {
  const written = (count: number) => count.toLocaleString("en-US")
  const issue: Issue = {
    path: longestOf(sent),
    code: "too_big",
    message: `The ${noun} would take ${written(bytes)} bytes as JSON; the limit is ${written(maxEntityBytes)}. Shorten its lists and texts`
  }
  return new BadRequest({ reason: "invalid_request", issues: [issue] })
}
