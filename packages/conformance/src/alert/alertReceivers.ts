/** Receivers of alerts, as a `fetch`: what was sent to them, and what they answer. */
import type { Fetch } from "@gatewarden/core/internal"
import { receiver } from "./alertCases.ts"

export interface ReceivedAlert {
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

export class AlertReceivers {
  readonly received: ReceivedAlert[] = []
  /** What the receivers answer. */
  status = 204

  /** `undefined` for addresses of others. */
  readonly fetch: (...call: Parameters<Fetch>) => Promise<Response> | undefined = (url, init) => {
    if (!url.startsWith(new URL(receiver).origin)) return undefined
    const body = init?.body
    this.received.push({
      url,
      headers: new Headers(init?.headers),
      text: new TextDecoder().decode(body as Uint8Array)
    })
    return Promise.resolve(new Response(null, { status: this.status }))
  }
}
