/** An application that embeds Gatewarden: its own `/chat`, and the management API beside it. The demonstration shows this file. */
import type { Gatewarden, GatewardenOptions, GrantedAdmission } from "@gatewarden/core"
import { createGatewarden } from "../instance/createGatewarden.ts"
import { toNodeHandler } from "../http/toNodeHandler.ts"
import { bodyOf, listenAt } from "./localServers.ts"

// ─── the host ───
export const startHost = async (options: GatewardenOptions, upstream: string) => {
  const gatewarden = await createGatewarden(options)
  const manage = toNodeHandler(gatewarden)
  const server = await listenAt(async (request, response) => {
    if (request.url !== "/chat") return manage(request, response)
    const api_key = request.headers.authorization?.replace("Bearer ", "") ?? ""
    const answer = await chat(gatewarden, upstream, { api_key, ...JSON.parse(await bodyOf(request)) })
    response.writeHead(answer.status)
    for await (const piece of answer.body ?? []) response.write(piece)
    response.end()
  })
  return { gatewarden, ...server }
}

const chat = async (gatewarden: Gatewarden, upstream: string, asked: Parameters<Gatewarden["admit"]>[0]) => {
  const created_at = new Date().toISOString()
  const admission = await gatewarden.admit(asked)
  const [candidate] = admission.candidates
  if (candidate === undefined) return Response.json({ error: admission.error }, { status: admission.status ?? 403 })
  const body = JSON.stringify({ messages: admission.messages, ...admission.grant })
  const answer = await fetch(upstream, { method: "POST", body })
  const [prompt_tokens = 0, completion_tokens = 0] = (answer.headers.get("x-tokens") ?? "").split(" ").map(Number)
  const usage = { prompt_tokens, completion_tokens }
  const { model, provider } = candidate
  await gatewarden.settle(admission.id, {
    created_at,
    model,
    provider,
    ...usage,
    ...admission.costOf(candidate, usage)
  })
  return new Response(answer.body?.pipeThrough(new TextDecoderStream()).pipeThrough(restored(admission)))
}

const restored = ({ restore }: GrantedAdmission) => {
  const back = restore?.stream() ?? { push: (text: string) => text, end: () => "" }
  const utf8 = new TextEncoder()
  return new TransformStream<string, Uint8Array<ArrayBuffer>>({
    transform: (text, to) => to.enqueue(utf8.encode(back.push(text))),
    flush: (to) => to.enqueue(utf8.encode(back.end()))
  })
}
// ─── the end of it ───
