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

/** All entries of a list up to a number of them, read page by page, because a store also ends a page by its bytes. */
export const everyEntry = Effect.fnUntraced(function* <T, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<T>, E, R>,
  most: number
) {
  const all: T[] = []
  for (;;) {
    const { data, total_count } = yield* list({ limit: most - all.length, offset: all.length })
    all.push(...data)
    if (data.length === 0 || all.length >= Math.min(most, total_count)) return all
  }
})

/** The fields of a PATCH and the stored values that they set: `null` clears a nullable field and counts as absent for others. */
type Sent<F, Nullable extends keyof F, Lasting extends keyof F> = {
  readonly [K in Nullable]?: Exclude<F[K], undefined>
} & {
  readonly [K in Lasting]?: NonNullable<F[K]>
}

/** The fields that a PATCH sets; absent ones stay (Rule: requests#patches). */
export const sentFields = <F extends object, Nullable extends keyof F, Lasting extends keyof F>(
  fields: F,
  nullable: readonly Nullable[],
  lasting: readonly Lasting[]
): Sent<F, Nullable, Lasting> => {
  const sent: Partial<F> = {}
  for (const name of nullable) if (fields[name] !== undefined) sent[name] = fields[name]
  for (const name of lasting) if (fields[name] !== undefined && fields[name] !== null) sent[name] = fields[name]
  return sent as Sent<F, Nullable, Lasting>
}

/** What is read of an object that does not change is read once, for as long as the object is there. */
export const remembered = <K extends object, V>(read: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = read(key)))
    return value
  }
}
