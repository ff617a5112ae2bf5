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

/** What became of a message that the server accepted for one recipient or more. */
export interface SentMail {
  /** Addresses that the server refused. The message is not sent again for them. */
  readonly rejected: readonly string[]
}

/**
 * What sends mail, as a host or a server brings it: without Effect's types, because hosts see it. Rule: alerts#mail.
 *
 * Sends a message; rejects when no recipient was accepted. The reason is not shown to users, except the reply code of the server: a rejection may
 * have `responseCode` and `command`, as an error of nodemailer has. A recipient or a message that is refused with 5yz is not tried again.
 *
 * `signal` aborts when the time of the mail is over: then nobody waits for it any more, and its connection should end.
 */
export type SendMail = (message: MailMessage, signal?: AbortSignal) => Promise<SentMail | void>
