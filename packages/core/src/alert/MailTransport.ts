/** How mail is sent, if it can be. Rule: alerts#mail. */
import { Context } from "effect"
import type { SendMail } from "./SendMail.ts"

export const MailTransport = Context.Reference<SendMail | undefined>("gatewarden/MailTransport", {
  defaultValue: () => undefined
})
