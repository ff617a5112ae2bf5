import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { AlertChannels } from "../ports/alerts.ts"

/** Rule: alerts#channels. */
export const deleteAlertChannel = operation("deleteAlertChannel")(function* (caller: Caller, id: string) {
  if (!(yield* (yield* AlertChannels).remove(caller.account_id, id))) return yield* notFound()
  return { deleted: true as const }
})
