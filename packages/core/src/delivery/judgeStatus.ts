/** What an answer means by its status alone: of a platform that receives usage, and of a receiver of alerts. */
import type { DeliveryVerdict } from "./Renderer.ts"

/** The same request may succeed without anybody's help. */
const healing = new Set([408, 425, 429])

/** Somebody has to renew a credential or bring an address back. */
const mendable = new Set([401, 403, 404])

/** Time alone may heal it. An alert is repeated only then: it is about now, and its owner sees that it failed. */
export const isTransient = (status: number): boolean => status >= 500 || status < 400 || healing.has(status)

/** Usage waits for what somebody can mend, too: it is complete once it is accepted, however late. */
export const judgeStatus = (status: number): DeliveryVerdict => {
  if (status >= 200 && status < 300) return { kind: "accepted" }
  if (status === 413) return { kind: "too_large" }
  const message = `The platform answered ${status}.`
  return isTransient(status) || mendable.has(status) ? { kind: "retry", message } : { kind: "refused", message }
}
