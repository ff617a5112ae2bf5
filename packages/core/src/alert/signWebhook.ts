/**
 * The headers of a request after Standard Webhooks: HMAC-SHA-256 of id, time and body.
 *
 * Rule: alerts#signatures. Source: Standard Webhooks 1.0. After a secret was replaced there are two signatures, of which a receiver accepts
 * any.
 */
import { Effect, Redacted } from "effect"
import { hmac } from "../platform/hmac.ts"

export interface SignedWebhook {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly body: string
}

const utf8 = new TextEncoder()

/** The bytes of `whsec_` and base64, which the contract has checked. */
const bytesOf = (secret: string): Uint8Array =>
  Uint8Array.from(atob(secret.slice("whsec_".length)), (character) => character.charCodeAt(0))

export const signWebhook = Effect.fnUntraced(function* (
  { id, at, body }: SignedWebhook,
  secrets: readonly Redacted.Redacted<string>[]
) {
  const timestamp = String(Math.floor(at / 1_000))
  const signed = utf8.encode(`${id}.${timestamp}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.map(
      hmac(bytesOf(Redacted.value(secret)), signed),
      (signature) => `v1,${btoa(String.fromCharCode(...signature))}`
    )
  )
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") }
})
