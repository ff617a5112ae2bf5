import type { ApiKey } from "../ports/keys.ts"
import { isLive } from "../access/isLive.ts"

/**
 * Whether no other live management key of the account lasts as long as one of these, so that ending them would lock the account out
 * sooner. Restricted keys do not count: they cannot create others.
 */
export const areLastManagementKeys = (ending: ReadonlySet<string>, keys: readonly ApiKey[], now: string): boolean => {
  const managing = keys.filter((key) => isUnrestricted(key) && isLive(key, now))
  const isEnding = ({ hash }: ApiKey) => ending.has(hash)
  const lastEnd = Math.max(...managing.filter((key) => !isEnding(key)).map(endOf))
  return managing.some((key) => isEnding(key) && endOf(key) > lastEnd)
}

export const isLastManagementKey = ({ hash }: ApiKey, keys: readonly ApiKey[], now: string): boolean =>
  areLastManagementKeys(new Set([hash]), keys, now)

const isUnrestricted = ({ kind, restrictions }: ApiKey): boolean => kind === "management" && restrictions === null

const endOf = ({ expires_at }: ApiKey): number => (expires_at === null ? Infinity : Date.parse(expires_at))
