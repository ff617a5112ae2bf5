import { Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFoundAt } from "../failure.ts"
import { operation } from "../tracing/operation.ts"
import { Generations } from "../usage/generation/Generations.ts"
import { printedContent } from "./printedContent.ts"
import { openContent, placeOfContent } from "./openContent.ts"

/** Rule: usage#prompt-logging. Unknown, of another account, and never kept are one answer. */
export const getGenerationContent = operation("getGenerationContent")(function* ({ account_id }: Caller, id: string) {
  const kept = Option.getOrUndefined(yield* (yield* Generations).findContent(account_id, id))
  if (kept === undefined) return yield* notFoundAt("query.id", "generation")
  const bodies = yield* openContent(kept.sealed_bodies, placeOfContent(account_id, kept.workspace_id, id))
  return printedContent(Redacted.value(bodies))
})
