import type { ApiKey } from "./ApiKey.ts"
import { isLive } from "./isLive.ts"

/** Whether no other live management key of the account lasts as long as this one, so that ending it would lock the account out sooner. */
export const isLastManagementKey = (key: ApiKey, keys: readonly ApiKey[], now: string): boolean =>
  key.kind === "management" &&
  isLive(key, now) &&
  !keys.some(
    (other) =>
      other.hash !== key.hash && other.kind === "management" && isLive(other, now) && endOf(other) >= endOf(key)
  )

const endOf = ({ expires_at }: ApiKey): number => (expires_at === null ? Infinity : Date.parse(expires_at))
