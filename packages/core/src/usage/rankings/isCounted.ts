/**
 * The events that a rankings request counts, apart from their day.
 *
 * Rule: rankings#counted-usage, rankings#sampled-datasets. An event that was not classified is not part of a sampled dataset.
 */
import type { RankingsModality } from "@gatewarden/contract"
import type { UsageEvent } from "../../ports/usage.ts"
import type { RankingsRequest } from "../../ports/analytics.ts"

type CountedEvent = Pick<
  UsageEvent,
  "input_modalities" | "output_modalities" | "tool_calls" | "context_length_bucket" | "category" | "language_type"
>

const hasModality: Record<RankingsModality, (event: CountedEvent) => boolean> = {
  text: (event) => event.output_modalities?.includes("text") ?? false,
  image: (event) => event.input_modalities?.includes("image") ?? false,
  image_output: (event) => event.output_modalities?.includes("image") ?? false,
  audio: (event) => event.input_modalities?.includes("audio") ?? false,
  tool_calling: (event) => event.tool_calls > 0
}

export const isCounted = (
  event: CountedEvent,
  { modality, context_bucket, category, language_type }: RankingsRequest
): boolean =>
  (modality === undefined || hasModality[modality](event)) &&
  (context_bucket === undefined || event.context_length_bucket === context_bucket) &&
  (category === undefined || event.category === category || (event.category?.startsWith(`${category}/`) ?? false)) &&
  (language_type === undefined || event.language_type === language_type)
