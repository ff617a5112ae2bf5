import { CatalogEndpoint, type ChatMessage } from "@gatewarden/contract"
import { requestSize, type RequestSize } from "../../core/src/request/requestSize.ts"

/** A request that makes nobody read or write anything. */
export const emptySize: RequestSize = {
  text_bytes: 0,
  images: 0,
  opaque_parts: 0,
  completion_tokens: 0,
  prediction_bytes: 0,
  choices: 1,
  server_tools: [],
  may: { read_audio: false, cache: false, cache_1h: false, write_audio: false, write_images: false }
}

/** An endpoint as the catalog keeps it, of what it is told; `prompt` and `completion` are free. */
export const pricedEndpoint = (pricing: object, fields: object = {}): CatalogEndpoint =>
  CatalogEndpoint.parse({
    name: "e",
    provider_name: "p",
    provider_slug: "p",
    tag: "p",
    context_length: 1000,
    pricing: { prompt: "0", completion: "0", ...pricing },
    ...fields
  })

/** The size of a client's request, sent as it is. */
export const sizeOf = (
  { messages, n, modalities, ...fields }: Readonly<Record<string, unknown>>,
  extra_bytes = 0,
  completion_tokens = 0
): RequestSize => {
  const request = {
    messages: (messages ?? null) as readonly ChatMessage[] | null,
    fields,
    modalities: (modalities ?? null) as readonly string[] | null,
    n: (n ?? 1) as number
  }
  const steps = requestSize(request, extra_bytes)
  for (let step = steps.next(); ; step = steps.next())
    if (step.done === true) return { ...step.value, completion_tokens }
}
