import type { AlertTestResult } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { AlertChannels } from "../ports/alerts.ts"
import { askRecipients } from "./confirmRecipients.ts"
import { openChannelConfig, placeOfChannelConfig } from "./sealChannelConfig.ts"
import { sendAlert } from "./sendAlert.ts"

/** Rule: alerts#tests-of-channels, alerts#recipients. */
export const testAlertChannel = operation("testAlertChannel")(function* (caller: Caller, id: string) {
  const found = yield* (yield* AlertChannels).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const { channel, sealed_config } = found.value
  const { delivered, status, message } = yield* sendAlert(
    caller.account_id,
    channel,
    yield* openChannelConfig(sealed_config, placeOfChannelConfig(caller.account_id, channel)),
    [
      {
        id: (yield* Entropy).uuid(),
        type: "channel.test",
        workspace_id: channel.workspace_id,
        subject: channel.id,
        data: { channel_id: channel.id, channel_name: channel.name },
        created_at: yield* timestamp
      }
    ]
  )
  const asked = channel.type === "email" ? yield* askRecipients(caller.account_id, channel.config.to, true) : 0
  const links = asked === 0 ? [] : [`Links to confirm were sent: ${asked}.`]
  const said = [...(message === null ? [] : [message]), ...links]
  const result: AlertTestResult = { delivered, status, message: said.length === 0 ? null : said.join(" ") }
  return result
})
