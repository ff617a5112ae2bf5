import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { AlertChannels } from "../ports/alerts.ts"
import { shownChannel } from "./confirmRecipients.ts"

/** Rule: alerts#channels. */
export const getAlertChannel = operation("getAlertChannel")(function* (caller: Caller, id: string) {
  const found = yield* (yield* AlertChannels).find(caller.account_id, id)
  return Option.isSome(found) ? yield* shownChannel(caller.account_id, found.value.channel) : yield* notFound()
})
