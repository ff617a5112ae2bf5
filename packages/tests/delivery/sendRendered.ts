/** Sends a rendered request over HTTP as the dispatcher does, and judges the answer. */
import { Effect, Redacted } from "effect"
import {
  type DeliveryVerdict,
  type Judge,
  type RenderedRequest,
  judgeStatus
} from "../../core/src/delivery/rendering/Renderer.ts"

export interface Sent {
  readonly status: number
  readonly body: string
  readonly verdict: DeliveryVerdict
}

export const sendRendered = (request: RenderedRequest, judge: Judge = judgeStatus): Effect.Effect<Sent> =>
  Effect.promise(async () => {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { ...Redacted.value(request.headers) },
      body: request.body as Uint8Array<ArrayBuffer>,
      redirect: "manual"
    })
    const answer = new Uint8Array(await response.arrayBuffer())
    const body = new TextDecoder().decode(answer)
    return { status: response.status, body, verdict: judge(response.status, body, request, answer) }
  })
