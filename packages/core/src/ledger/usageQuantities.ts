/** The counts of a provider's usage, each under one name; an absent count was not reported. Rule: money#cost-of-usage. */
import type { UsageQuantities as ReportedUsage } from "@gatewarden/contract"

export interface UsageQuantities {
  readonly prompt_tokens: number | undefined
  readonly cached_tokens: number | undefined
  readonly cached_audio_tokens: number | undefined
  readonly cache_write_tokens: number | undefined
  readonly cache_write_1h_tokens: number | undefined
  readonly audio_tokens: number | undefined
  readonly image_tokens: number | undefined
  readonly images: number | undefined
  readonly completion_tokens: number | undefined
  readonly completion_bytes: number | undefined
  readonly reasoning_tokens: number | undefined
  readonly output_audio_tokens: number | undefined
  readonly output_image_tokens: number | undefined
  readonly requests: number | undefined
  readonly web_searches: number | undefined
  /** By type. */
  readonly server_tool_uses: ReadonlyMap<string, number>
}

const noUses: ReadonlyMap<string, number> = new Map()

export const quantitiesOf = (usage: ReportedUsage): UsageQuantities => {
  const read = usage.prompt_tokens_details
  const written = usage.completion_tokens_details
  const uses = usage.server_tool_use
  const cached_audio_tokens = read?.cached_audio_tokens ?? undefined
  const cache_write_1h_tokens = read?.cache_write_1h_tokens ?? undefined
  return {
    prompt_tokens: usage.prompt_tokens ?? undefined,
    cached_tokens: read?.cached_tokens ?? usage.cached_tokens ?? cached_audio_tokens,
    cached_audio_tokens,
    cache_write_tokens: read?.cache_write_tokens ?? usage.cache_write_tokens ?? cache_write_1h_tokens,
    cache_write_1h_tokens,
    audio_tokens: read?.audio_tokens ?? undefined,
    image_tokens: read?.image_tokens ?? undefined,
    images: usage.images ?? undefined,
    completion_tokens: usage.completion_tokens ?? undefined,
    completion_bytes: usage.completion_bytes ?? undefined,
    reasoning_tokens: written?.reasoning_tokens ?? usage.reasoning_tokens ?? undefined,
    output_audio_tokens: written?.audio_tokens ?? undefined,
    output_image_tokens: written?.image_tokens ?? undefined,
    requests: usage.requests ?? undefined,
    web_searches: uses?.["web_search_requests"] ?? undefined,
    server_tool_uses:
      uses == null ? noUses : new Map(Object.entries(uses).flatMap(([name, n]) => (n == null ? [] : [[name, n]])))
  }
}
