import type { DeliveryVerdict } from "./Renderer.ts"

/** Credentials can be renewed and addresses come back, so these wait like a fault of the platform. */
const worthRetrying = new Set([401, 403, 404, 408, 425, 429])

/** Judges an answer by its status alone. */
export const judgeStatus = (status: number): DeliveryVerdict => {
  if (status >= 200 && status < 300) return { kind: "accepted" }
  if (status === 413) return { kind: "too_large" }
  const message = `The platform answered ${status}.`
  return status >= 500 || worthRetrying.has(status) || status < 400
    ? { kind: "retry", message }
    : { kind: "refused", message }
}
