import type { SubmitGenerationFeedback } from "@gatewarden/contract"
import type { Caller } from "../../access/Caller.ts"
import { notFound } from "../../failure.ts"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/timestamp.ts"
import { Generations } from "./Generations.ts"

/** Rule: usage#feedback. */
export const submitGenerationFeedback = operation("submitGenerationFeedback")(function* (
  caller: Caller,
  { generation_id, category, comment }: SubmitGenerationFeedback
) {
  const feedback = { category, comment: comment ?? null, given_at: yield* timestamp }
  const isKept = yield* (yield* Generations).keepFeedback(caller.account_id, generation_id, feedback)
  return isKept ? { success: true as const } : yield* notFound()
})
