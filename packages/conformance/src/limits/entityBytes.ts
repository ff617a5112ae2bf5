/** The size of an entity, counted once more. Rule: requests#entity-sizes. */

/** The most that an entity may take. */
export const mostBytes = 1_048_576

/** The same of a destination. */
export const mostDestinationBytes = 131_072

/** The same of a BYOK credential. */
export const mostCredentialBytes = 16_384

/** The UTF-8 of the JSON of what requests set. */
export const ownBytes = (entity: object): number => {
  const {
    id: _,
    workspace_id: __,
    label: ___,
    sort_order: ____,
    created_at: _____,
    updated_at: ______,
    ...own
  } = entity as Record<string, unknown>
  return new TextEncoder().encode(JSON.stringify(own)).length
}

/** A thousand names of 500 bytes of UTF-8, which together take 503,001. */
export const manyNames = (letter: string): readonly string[] =>
  Array.from({ length: 1_000 }, (_, index) => letter + String(index).padStart(3, "0") + "é".repeat(248))
