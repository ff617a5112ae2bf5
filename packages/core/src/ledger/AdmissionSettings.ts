/** How an installation estimates the maximum cost of a request. Rule: money#holds. */
import { Context } from "effect"
import type { RequestSize } from "../request/requestSize.ts"

export interface AdmissionLimits {
  /** Completion tokens that are held and granted if a request sets no limit. */
  readonly completion_ceiling: number
  /** The number of attempts of a data plane that providers may bill. */
  readonly billed_attempts: number
  /** USD to hold for a request whose cost at an endpoint cannot be bounded; `null`: such an endpoint is removed. */
  readonly unpriced_ceiling_usd: string | null
}

export const AdmissionSettings = Context.Reference<AdmissionLimits>("gatewarden/AdmissionSettings", {
  defaultValue: () => ({ completion_ceiling: 4096, billed_attempts: 1, unpriced_ceiling_usd: null })
})

const kinds = ["read_audio", "cache", "cache_1h", "write_audio", "write_images"] as const

/**
 * The size of an admitted request as a store saves it with its hold: a few numbers as JSON, so that any process can charge units that a
 * settlement does not report.
 *
 * The order of the numbers belongs to the version that wrote them; another shape reads as unknown.
 */
export const packSize = (size: RequestSize): string =>
  JSON.stringify([
    size.text_bytes,
    size.images,
    size.opaque_parts,
    size.completion_tokens,
    size.prediction_bytes,
    size.choices,
    kinds.reduce((bits, kind, place) => bits + (size.may[kind] ? 2 ** place : 0), 0),
    ...size.server_tools.map(({ field, name, most }) => [field, name, most])
  ])

const isCount = (value: unknown): value is number => Number.isSafeInteger(value)

/** `undefined` for a value that `packSize` of this version did not write. */
export const unpackSize = (packed: string): RequestSize | undefined => {
  const values: unknown = JSON.parse(packed)
  if (!Array.isArray(values)) return undefined
  const [text_bytes, ...rest]: readonly unknown[] = values
  const [images, opaque_parts, completion_tokens, prediction_bytes, choices, may] = rest
  if (text_bytes !== null && !isCount(text_bytes)) return undefined
  if (!isCount(images) || !isCount(opaque_parts) || !isCount(completion_tokens)) return undefined
  if (!isCount(prediction_bytes) || !isCount(choices) || !isCount(may)) return undefined
  const server_tools = rest.slice(6).flatMap((tool) => {
    if (!Array.isArray(tool)) return []
    const [field, name, most]: readonly unknown[] = tool
    if (typeof field !== "string" || typeof name !== "string" || (most !== null && !isCount(most))) return []
    return [{ field, name, most }]
  })
  if (server_tools.length !== rest.length - 6) return undefined
  const isPossible = (kind: (typeof kinds)[number]): boolean => (may & (2 ** kinds.indexOf(kind))) !== 0
  return {
    text_bytes,
    images,
    opaque_parts,
    completion_tokens,
    prediction_bytes,
    choices,
    server_tools,
    may: {
      read_audio: isPossible("read_audio"),
      cache: isPossible("cache"),
      cache_1h: isPossible("cache_1h"),
      write_audio: isPossible("write_audio"),
      write_images: isPossible("write_images")
    }
  }
}
