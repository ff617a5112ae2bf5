/**
 * The secrets that open one key.
 *
 * Rule: access#rotating-keys. The hash of a key never changes. A key that was never rotated has one secret, whose hash is the key's, and no
 * list; a rotation lists the secrets of the key, and from then on the list alone tells which of them open it.
 */

/** A list has the secrets of a key, the oldest first. */
export interface KeySecret {
  readonly hash: string
  /** Epoch milliseconds from which the secret is refused; `null` for the newest one, which does not end. */
  readonly ends_at: number | null
}

/** The former secrets that may open a key beside its newest one. */
export const mostFormerSecrets = 2

/** The secrets that can open a key at the same time. */
export const mostLiveSecrets = mostFormerSecrets + 1

/** The secrets of a key that a store remembers, so that usage that names an ended one is still recorded under the key. */
export const mostKnownSecrets = 100

/** No former secret outlives a younger one: each ends when the overlap of the latest rotation ends, if it does not end earlier. */
export const rotatedSecrets = (
  known: readonly KeySecret[],
  hash: string,
  now: number,
  overlap_ends_at: number
): readonly KeySecret[] => [
  ...known.slice(1 - mostKnownSecrets).map((secret, index, kept) => {
    const end = kept.length - index > mostFormerSecrets ? now : overlap_ends_at
    return { ...secret, ends_at: secret.ends_at === null ? end : Math.min(secret.ends_at, end) }
  }),
  { hash, ends_at: null }
]

/** When a secret ended that no longer opens the key; `null` if that is not known any more. Undefined: it opens the key. */
export const endOfSecret = (
  key: { readonly hash: string; readonly secrets: readonly KeySecret[] },
  hash: string,
  now: number
): number | null | undefined => {
  if (key.secrets.length === 0) return key.hash === hash ? undefined : null
  const secret = key.secrets.find((one) => one.hash === hash)
  if (secret === undefined) return null
  return secret.ends_at === null || now < secret.ends_at ? undefined : secret.ends_at
}
