import type { KeyRateLimits } from "@gatewarden/contract"

/** Of a key that nobody has limited. */
export const noKeyRateLimits: KeyRateLimits = {
  requests_per_minute: null,
  tokens_per_minute: null,
  parallel_requests: null
}
