/** What sends mail, as a host or a server brings it: without Effect's types, because hosts see it. Rule: alerts#mail. */

/** One message of plain text, as a transport sends it. */
export interface MailMessage {
  /** Addresses without names. */
  readonly to: readonly string[]
  /** One line. */
  readonly subject: string
  /** Lines end with LF. */
  readonly text: string
  /** The same whenever the same message is sent again: the local part of its `Message-ID`. */
  readonly messageId: string
}

/** Sends a message; rejects when no recipient was accepted. The reason is not shown to users. */
export type SendMail = (message: MailMessage) => Promise<void>
