import type { ApiKey } from "../ports/keys.ts"

/** Whether a key is accepted at an instant, ISO 8601 in UTC with milliseconds. */
export const isLive = ({ disabled, expires_at }: Pick<ApiKey, "disabled" | "expires_at">, now: string): boolean =>
  !disabled && (expires_at === null || expires_at > now)
