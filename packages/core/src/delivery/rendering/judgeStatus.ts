/** What an answer means by its status alone: of a platform that receives usage, and of a receiver of alerts, which may be a mail server. */
import type { DeliveryVerdict } from "./Renderer.ts"

/** The same request may succeed without anybody's help. */
const healing = new Set([408, 425, 429])

/** Somebody has to renew a credential or bring an address back. */
const mendable = new Set([401, 403, 404])

/** Time alone may heal it. An alert is repeated only then: it is about now, and its owner sees that it failed. */
export const isTransient = (status: number): boolean => status >= 500 || status < 400 || healing.has(status)

/** Usage waits for what somebody can mend, too: it is complete once it is accepted, however late. */
export const judgeStatus = (status: number): DeliveryVerdict => {
  if (status >= 200 && status < 300) return { kind: "accepted" }
  if (status === 413) return { kind: "too_large" }
  const message = `The platform answered ${status}.`
  return isTransient(status) || mendable.has(status) ? { kind: "retry", message } : { kind: "refused", message }
}

/** A reply of a mail server to one of its commands. */
export interface MailReply {
  readonly code: number
  /** Unknown for mail that a host sends otherwise than with nodemailer. */
  readonly command: string | undefined
}

/** Credentials are missing or wrong, or must be encrypted (RFC 4954 6): of this server, whatever the command. */
const credentialReplies = new Set([530, 534, 535, 538])

/** Commands that name a recipient or bring the message. Any other is about this server: its address, its credentials, its sender. */
const messageCommands: ReadonlySet<string | undefined> = new Set(["RCPT TO", "DATA", undefined])

/** Too many recipients, or a mailbox that is full (RFC 5321 4.5.3.1.10). */
const mailboxFull = 552

/** A refusal of this server, which its operator can mend; it says nothing of the message. */
export const isRefusedSender = ({ code, command }: MailReply): boolean =>
  code >= 500 && (credentialReplies.has(code) || !messageCommands.has(command))

/** 4yz is transient and 5yz permanent (RFC 5321 4.2.1). What an operator can mend is waited for, because no owner of a channel can. */
export const isTransientReply = (reply: MailReply): boolean =>
  reply.code < 500 || reply.code === mailboxFull || isRefusedSender(reply)
