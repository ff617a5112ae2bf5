/**
 * Prices of an endpoint, as an operator writes them and as callers read them.
 *
 * Rule: models#prices.
 */
import * as z from "zod"
import { orAbsent } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  min_prompt_tokens: "The entry applies only to prompts with more tokens than this.",
  utc_start: "Start of the daily time range in UTC as `hhmm`, inclusive. Default: 0.",
  utc_end:
    "End of the daily time range in UTC as `hhmm`, exclusive. An end before the start passes midnight. Default: 2400.",
  utc_days: "Days of the week in UTC on which the entry applies. Default: all days.",
  prompt: 'USD for a token of the prompt. `"-1"`: unknown.',
  completion: 'USD for a token of the completion. `"-1"`: unknown.',
  audio: "USD for a token of audio in the prompt. Absent: the price of `prompt`.",
  input_audio_cache:
    "USD for a token of audio read from a cache. Absent: the price of `input_cache_read`, otherwise of `audio`.",
  input_cache_read: "USD for a prompt token read from a cache. Absent: the price of `prompt`.",
  input_cache_write: "USD for a prompt token written to a cache. Absent: the price of `prompt`.",
  input_cache_write_1h:
    "USD for a prompt token written to a cache for an hour. Absent: the price of `input_cache_write`.",
  request: "USD for a request, beside its tokens.",
  image: "USD for an image in the prompt.",
  audio_output: "USD for a token of generated audio. Absent: the price of `completion`.",
  image_output: "USD for a token of a generated image. Absent: the price of `completion`.",
  image_token: "USD for a token of an image in the prompt. Absent: the price of `prompt`, or 0 if `image` has a price.",
  internal_reasoning: "USD for a reasoning token. Absent: the price of `completion`.",
  web_search: "USD for a web search.",
  discount: "Discount, as the operator wrote it to the catalog. It is shown and changes no cost.",
  overrides:
    "Prices that apply in place of these under conditions. If several entries match, the last one counts for each price."
} as const

/** USD as a plain decimal string: no sign, no exponent, no leading zeros. */
export const price = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})(?:\.\d{1,24})?$/, "Expected a decimal string such as 0.000002")

const count = z.int().min(0)

/** The public API's notation of an unknown price, such as that of a router. */
export const unknownPrice = "-1"

/** A price, or `"-1"`. */
const listedPrice = z
  .string()
  .regex(
    /^(?:-1|(?:0|[1-9]\d{0,14})(?:\.\d{1,24})?)$/,
    'Expected a decimal string such as 0.000002, or "-1" for unknown'
  )

const optionalPrice = orAbsent(listedPrice)

/** Prices of units that every request has: absent and `null` are unknown. */
const tokenPrice = listedPrice.nullish().transform((price) => price ?? unknownPrice)

/** Prices of optional units: absent is 0. */
const unitPrice = listedPrice.nullish().transform((price) => price ?? "0")

/** A price that applies in place of the endpoint's own while its conditions hold (Rule: models#prices). */
const PriceOverride = z.object({
  min_prompt_tokens: orAbsent(count).describe(about.min_prompt_tokens),
  utc_start: orAbsent(z.int().min(0).max(2359)).describe(about.utc_start),
  utc_end: orAbsent(z.int().min(0).max(2400)).describe(about.utc_end),
  utc_days: orAbsent(
    z.array(z.enum(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]))
  ).describe(about.utc_days),
  prompt: optionalPrice.describe(about.prompt),
  completion: optionalPrice.describe(about.completion),
  audio: optionalPrice.describe(about.audio),
  input_audio_cache: optionalPrice.describe(about.input_audio_cache),
  input_cache_read: optionalPrice.describe(about.input_cache_read),
  input_cache_write: optionalPrice.describe(about.input_cache_write),
  input_cache_write_1h: optionalPrice.describe(about.input_cache_write_1h)
})

/**
 * USD per token, request or unit. `prompt` and `completion` are unknown (`"-1"`) where they are absent; other absent prices mean no
 * separate charge: cached and audio tokens cost `prompt`, reasoning costs `completion`, requests and images cost nothing. `image` is for
 * an image in the prompt, `image_token` for a token of it, `image_output` for a token of a generated image.
 */
export const Pricing = z.object({
  prompt: tokenPrice.describe(about.prompt),
  completion: tokenPrice.describe(about.completion),
  request: unitPrice.describe(about.request),
  image: unitPrice.describe(about.image),
  audio: optionalPrice.describe(about.audio),
  audio_output: optionalPrice.describe(about.audio_output),
  image_output: optionalPrice.describe(about.image_output),
  image_token: optionalPrice.describe(about.image_token),
  input_audio_cache: optionalPrice.describe(about.input_audio_cache),
  input_cache_read: optionalPrice.describe(about.input_cache_read),
  input_cache_write: optionalPrice.describe(about.input_cache_write),
  input_cache_write_1h: optionalPrice.describe(about.input_cache_write_1h),
  internal_reasoning: optionalPrice.describe(about.internal_reasoning),
  web_search: optionalPrice.describe(about.web_search),
  discount: orAbsent(z.number()).describe(about.discount),
  overrides: orAbsent(z.array(PriceOverride).max(100)).describe(about.overrides)
})
export type Pricing = z.output<typeof Pricing>

const printedPrice = z.string().optional()

/** As the catalog has it; `"-1"` is unknown. */
export const PrintedPricing = z.object({
  prompt: z.string().describe(about.prompt),
  completion: z.string().describe(about.completion),
  request: z.string().describe(about.request),
  image: z.string().describe(about.image),
  audio: printedPrice.describe(about.audio),
  audio_output: printedPrice.describe(about.audio_output),
  image_output: printedPrice.describe(about.image_output),
  image_token: printedPrice.describe(about.image_token),
  input_audio_cache: printedPrice.describe(about.input_audio_cache),
  input_cache_read: printedPrice.describe(about.input_cache_read),
  input_cache_write: printedPrice.describe(about.input_cache_write),
  input_cache_write_1h: printedPrice.describe(about.input_cache_write_1h),
  internal_reasoning: printedPrice.describe(about.internal_reasoning),
  web_search: printedPrice.describe(about.web_search),
  discount: z.number().optional().describe(about.discount),
  overrides: z
    .array(
      z.object({
        min_prompt_tokens: z.int().optional().describe(about.min_prompt_tokens),
        utc_start: z.int().optional().describe(about.utc_start),
        utc_end: z.int().optional().describe(about.utc_end),
        utc_days: z.array(z.string()).optional().describe(about.utc_days),
        prompt: printedPrice.describe(about.prompt),
        completion: printedPrice.describe(about.completion),
        audio: printedPrice.describe(about.audio),
        input_audio_cache: printedPrice.describe(about.input_audio_cache),
        input_cache_read: printedPrice.describe(about.input_cache_read),
        input_cache_write: printedPrice.describe(about.input_cache_write),
        input_cache_write_1h: printedPrice.describe(about.input_cache_write_1h)
      })
    )
    .optional()
    .describe(about.overrides)
})
