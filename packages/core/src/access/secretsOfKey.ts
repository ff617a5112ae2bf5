/**
 * Which secrets open a key, before and after a rotation. The in-memory store calls `rotatedSecrets`; the SQL store has it as a statement.
 *
 * Rule: access#rotating-keys.
 */
import { type KeySecret, mostFormerSecrets, mostKnownSecrets, type StoredSecret } from "../ports/keys.ts"

/** No former secret outlives a younger one: each ends when the overlap of the latest rotation ends, if it does not end earlier. */
export const rotatedSecrets = (
  known: readonly StoredSecret[],
  hash: string,
  now: number,
  overlap_ends_at: number
): readonly StoredSecret[] => [
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
  return secret.ends_at === null || (!secret.has_ended && now < secret.ends_at) ? undefined : secret.ends_at
}
