/**
 * The resources that a filter finds: candidates by index where it names some, and as many as may be looked at otherwise.
 *
 * Rule: scim#filters.
 */
import { scimLimits } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { type BadRequest, invalid } from "../value/failure.ts"
import { maxPageBytes, type Page, type PageRequest } from "../value/Page.ts"
import { comparisonsIn, type LookUp, lookUpsOf } from "./scim/lookUps.ts"
import { type Filter, parseFilter } from "./scim/Filter.ts"
import type { ResourceKind } from "./scim/ResourceKind.ts"

/** How the resources of a kind are read. */
interface Reading<T> {
  readonly kind: ResourceKind
  readonly find: (
    lookUps: Readonly<Record<LookUp["by"], readonly string[]>>,
    page: PageRequest
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

/** Candidates that are read and looked at together; a store ends their page by bytes, too. */
const examinedAtOnce = 100

/** Which of what a filter finds is kept: the part of the list that is asked for. */
interface Wanted {
  readonly offset: number
  readonly limit: number
}

/** Keeps what an answer can show. An answer ends by bytes, so what comes behind as many is counted alone. */
const keeping = <T>({ offset, limit }: Wanted) => {
  const found: T[] = []
  let total = 0
  let bytes = 0
  return {
    add: (passing: readonly T[]) => {
      for (const one of passing) {
        if (total >= offset && found.length < limit && bytes <= maxPageBytes) {
          found.push(one)
          bytes += JSON.stringify(one).length
        }
        total++
      }
    },
    kept: () => ({ total, found: found as readonly T[] })
  }
}

/** What passes the filter, in list order: how much, and the part that is wanted. */
const filtered = Effect.fnUntraced(function* <T>(
  { kind, find, list, matching }: Reading<T>,
  filter: Filter,
  wanted: Wanted
) {
  const lookUps = lookUpsOf(filter, kind.name === "User" ? "userName" : "displayName")
  const most = scimLimits.examined
  const { add, kept } = keeping<T>(wanted)
  if (lookUps !== undefined) {
    const valuesBy = (by: LookUp["by"]) => lookUps.filter((one) => one.by === by).map(({ value }) => value)
    const sought = {
      ids: valuesBy("ids"),
      names: valuesBy("names"),
      external_ids: valuesBy("external_ids"),
      members: valuesBy("members")
    }
    for (let offset = 0; ;) {
      const candidates = yield* find(sought, { limit: examinedAtOnce, offset })
      offset += candidates.length
      if (offset > most) return yield* tooWide()
      if (candidates.length === 0) return kept()
      add(yield* matching(filter, candidates))
    }
  }
  for (let offset = 0; ;) {
    const { data, total_count } = yield* list({ limit: examinedAtOnce, offset })
    if (total_count > most) return yield* tooWide()
    add(yield* matching(filter, data))
    offset += data.length
    if (data.length === 0 || offset >= total_count) return kept()
  }
})

export interface ResourceQuery {
  readonly filter?: string | undefined
  readonly startIndex?: number | undefined
  readonly count?: number | undefined
}

/** The part of the list that is asked for. Rule: scim#lists. */
export const findResources = Effect.fnUntraced(function* <T>(
  reading: Reading<T>,
  { filter: text, startIndex = 1, count = scimLimits.page }: ResourceQuery
) {
  const offset = Math.max(startIndex, 1) - 1
  const limit = Math.min(Math.max(count, 0), scimLimits.page)
  if (text === undefined) {
    const page = yield* reading.list({ limit, offset })
    return { startIndex: offset + 1, total: page.total_count, found: page.data as readonly T[] }
  }
  const filter = yield* readFilter(reading.kind, text)
  return { startIndex: offset + 1, ...(yield* filtered(reading, filter, { offset, limit })) }
})
