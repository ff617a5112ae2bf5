/**
 * The resources that a filter finds: candidates by index where it names some, and as many as may be looked at otherwise.
 *
 * Rule: scim#filters.
 */
import { scimLimits } from "@gatewarden/contract"
import { Effect } from "effect"
import { type BadRequest, invalid } from "../failure.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import { comparisonsIn, type LookUp, lookUpsOf } from "./lookUps.ts"
import type { Filter } from "./scim/Filter.ts"
import { parseFilter } from "./scim/parseFilter.ts"
import type { ResourceKind } from "./scim/ResourceKind.ts"

/** How the resources of a kind are read. */
interface Reading<T> {
  readonly kind: ResourceKind
  readonly find: (
    lookUps: Readonly<Record<LookUp["by"], readonly string[]>>,
    limit: number
  ) => Effect.Effect<readonly T[]>
  readonly list: (page: PageRequest) => Effect.Effect<Page<T>>
  /** Those that satisfy the filter. */
  readonly matching: (filter: Filter, candidates: readonly T[]) => Effect.Effect<readonly T[], BadRequest>
}

/** Who is in a group is found by id alone: members are no part of what is looked at. */
const isBeyond = (filter: Filter): boolean =>
  [...comparisonsIn(filter)].some(({ filter: each, about }) => {
    if (about.attribute.name === "groups") return true
    if (about.attribute.name !== "members") return false
    return (
      each.kind !== "compare" ||
      each.comparison !== "eq" ||
      typeof each.value !== "string" ||
      each.compared.name !== "value"
    )
  })

const readFilter = Effect.fnUntraced(function* (kind: ResourceKind, text: string) {
  const parsed = parseFilter(kind, text)
  if (!parsed.ok) return yield* invalid("invalid_filter", "query.filter", parsed.message)
  if (isBeyond(parsed.value))
    return yield* invalid(
      "invalid_filter",
      "query.filter",
      "Members can be compared by value with eq, and groups not at all"
    )
  return parsed.value
})

/** Those of the candidates that pass, one at a time. */
export function* matchingIn<T>(candidates: readonly T[], passes: (candidate: T) => boolean): Generator<void, T[]> {
  const found: T[] = []
  for (const candidate of candidates) {
    if (passes(candidate)) found.push(candidate)
    yield
  }
  return found
}

export const tooWide = () =>
  invalid("filter_too_wide", "query.filter", `More than ${scimLimits.examined} resources would have to be looked at`)

/** Candidates that are read and looked at together. */
const examinedAtOnce = 100

/** Everything that passes the filter, in list order. */
const filtered = Effect.fnUntraced(function* <T>({ kind, find, list, matching }: Reading<T>, filter: Filter) {
  const lookUps = lookUpsOf(filter, kind.name === "User" ? "userName" : "displayName")
  const most = scimLimits.examined
  if (lookUps !== undefined) {
    const valuesBy = (by: LookUp["by"]) => lookUps.filter((one) => one.by === by).map(({ value }) => value)
    const candidates = yield* find(
      {
        ids: valuesBy("ids"),
        names: valuesBy("names"),
        external_ids: valuesBy("external_ids"),
        members: valuesBy("members")
      },
      most + 1
    )
    return candidates.length > most ? yield* tooWide() : yield* matching(filter, candidates)
  }
  const all: T[] = []
  for (let offset = 0; ;) {
    const { data, total_count } = yield* list({ limit: examinedAtOnce, offset })
    if (total_count > most) return yield* tooWide()
    all.push(...(yield* matching(filter, data)))
    offset += data.length
    if (data.length === 0 || offset >= total_count) return all
  }
})

export interface Asked {
  readonly filter?: string | undefined
  readonly startIndex?: number | undefined
  readonly count?: number | undefined
}

/** The part of the list that is asked for. Rule: scim#lists. */
export const findResources = Effect.fnUntraced(function* <T>(
  reading: Reading<T>,
  { filter: text, startIndex = 1, count = scimLimits.page }: Asked
) {
  const offset = Math.max(startIndex, 1) - 1
  const limit = Math.min(Math.max(count, 0), scimLimits.page)
  if (text === undefined) {
    const page = yield* reading.list({ limit, offset })
    return { startIndex: offset + 1, total: page.total_count, found: page.data as readonly T[] }
  }
  const filter = yield* readFilter(reading.kind, text)
  const all = yield* filtered(reading, filter)
  return { startIndex: offset + 1, total: all.length, found: all.slice(offset, offset + limit) }
})
