/** How much a model may be given to read. Source: decisions 14: a byte is at most a token. */
import type { ChatMessage } from "@gatewarden/contract"
import type { RequestSize } from "./estimateCost.ts"

const utf8 = new TextEncoder()

/** Without messages nobody knows, and the whole of an endpoint's context counts. */
export const promptSize = (messages: readonly ChatMessage[] | null): Pick<RequestSize, "prompt_bytes" | "images"> => {
  if (messages === null) return { prompt_bytes: null, images: 0 }
  let images = 0
  for (const { content } of messages)
    if (Array.isArray(content)) images += content.filter(({ type }) => type === "image_url").length
  return { prompt_bytes: utf8.encode(JSON.stringify(messages)).length, images }
}
