import { Effect } from "effect"

/** Bytes of the entries of a page, 4 MiB: a page ends before the entry that would exceed them, but has at least one. */
export const maxPageBytes = 4_194_304

/** A page of a list, and which one is asked for. Rule: requests#lists. */
export interface Page<T> {
  readonly data: T[]
  readonly total_count: number
}

export interface PageRequest {
  readonly limit: number
  readonly offset: number
}

const pageOfEvery = 100

/** All entries of a list up to a number of them, read page by page: a store reads a whole page before it ends it by its bytes. */
export const everyEntry = Effect.fnUntraced(function* <T, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<T>, E, R>,
  most: number
) {
  const all: T[] = []
  for (;;) {
    const { data, total_count } = yield* list({ limit: Math.min(pageOfEvery, most - all.length), offset: all.length })
    all.push(...data)
    if (data.length === 0 || all.length >= Math.min(most, total_count)) return all
  }
})
