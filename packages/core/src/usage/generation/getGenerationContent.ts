import { Option, Redacted } from "effect"
import type { Caller } from "../../access/Caller.ts"
import { Generations } from "../../ports/usage.ts"
import { openContent, placeOfContent } from "../../prompt/openContent.ts"
import { operation } from "../../tracing/operation.ts"
import { notFoundAt } from "../../value/failure.ts"
import { printedContent } from "./printedContent.ts"

/** Rule: usage#prompt-logging. Unknown, of another account, and never kept are one answer. */
export const getGenerationContent = operation("getGenerationContent")(function* ({ account_id }: Caller, id: string) {
  const kept = Option.getOrUndefined(yield* (yield* Generations).findContent(account_id, id))
  if (kept === undefined) return yield* notFoundAt("query.id", "generation")
  const bodies = yield* openContent(kept.sealed_bodies, placeOfContent(account_id, kept.workspace_id, id))
  return printedContent(Redacted.value(bodies))
})
