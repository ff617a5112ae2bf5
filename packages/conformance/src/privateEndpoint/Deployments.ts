/** Deployments of models at an address that accounts name, as a `fetch`: what was sent to them, and what they answer. */
import type { Fetch } from "@gatewarden/core/internal"

/** Where the installation under test has a deployment. */
export const deploymentUrl = "https://inference.example.com/v1"

const good = {
  model: "sonnet-prod",
  choices: [{ index: 0, message: { role: "assistant", content: "OK" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 1 }
}

export class Deployments {
  readonly received: { readonly url: string; readonly authorization: string | null; readonly model: string }[] = []
  /** What the next request is answered; undefined: nothing is there. */
  next: { readonly status: number; readonly body: unknown } | undefined = { status: 200, body: good }

  /** The next answer has these fields. */
  answer(fields: object, status = 200): void {
    this.next = { status, body: { ...good, ...fields } }
  }

  /** `undefined` for addresses of others. */
  readonly fetch: (...call: Parameters<Fetch>) => Promise<Response> | undefined = (url, init) => {
    if (!url.startsWith(new URL(deploymentUrl).origin)) return undefined
    const { model } = JSON.parse(new TextDecoder().decode(init.body as Uint8Array)) as { model: string }
    this.received.push({ url, authorization: new Headers(init.headers).get("authorization"), model })
    const answer = this.next
    this.next = { status: 200, body: good }
    return answer === undefined
      ? Promise.reject(new TypeError("nothing is there"))
      : Promise.resolve(new Response(JSON.stringify(answer.body), { status: answer.status }))
  }
}
