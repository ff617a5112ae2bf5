/** OpenAI's embeddings. */
import { manyOf } from "@gatewarden/contract"
import { issuesOf } from "@gatewarden/core/effect"
import * as z from "zod"
import { refusal } from "../Answer.ts"
import { bearerHeaders, countOf, type Dialect, fieldOf, hasError, keeping } from "./Dialect.ts"
import { printCost } from "./printUsage.ts"
import { presetIssues, requestOf } from "./read.ts"

/** Filters read text: token ids, which some clients send, would pass them unread. */
const EmbeddingsRequest = z.looseObject({
  ...requestOf,
  input: z.union([z.string(), manyOf(z.string()).min(1)], { error: "Expected a text or a list of texts" }),
  dimensions: z.int().min(1).nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish()
})

const forwarded = keeping(new Set(["input", "dimensions", "encoding_format", "input_type"]))

export const embeddings: Dialect = {
  name: "embeddings",
  path: "/embeddings",
  read: (sent) => {
    const parsed = EmbeddingsRequest.safeParse(sent)
    if (!parsed.success) return issuesOf(EmbeddingsRequest, parsed.error, sent)
    const { data: asked } = parsed
    const issues = presetIssues(asked)
    if (issues.length > 0) return { issues }
    const { model, models, provider, user, session_id } = asked
    // Nothing is written, and the model reads the other fields.
    return {
      decided: { messages: [], model, models, provider, user, session_id, max_completion_tokens: 1 },
      forwarded: forwarded(asked),
      form: {}
    }
  },
  forwarded,
  headers: bearerHeaders,
  bodyFor: ({ model, body }) => ({ ...body, model }),
  isAnswer: ({ data }) => Array.isArray(data),
  isFailure: hasError,
  reported: ({ usage }) => {
    const prompt_tokens = countOf(fieldOf(usage, "prompt_tokens")) ?? countOf(fieldOf(usage, "total_tokens"))
    return prompt_tokens === undefined
      ? undefined
      : { prompt_tokens, completion_tokens: 0, cached_tokens: null, reasoning_tokens: null }
  },
  list: "data",
  written: () => "",
  hasMedia: () => false,
  finished: () => undefined,
  whole: (answer, { id, answering, spent }) => {
    const { used, ...costs } = spent()
    const { prompt_tokens } = used
    const usage = { prompt_tokens, total_tokens: prompt_tokens, ...printCost(costs, ["prompt", "completions"]) }
    return { ...answer, id, ...answering, usage }
  },
  refusal
}
