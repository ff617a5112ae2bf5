/**
 * Sends mail over SMTP: one connection a message, within bounded time. The operator names the server.
 *
 * Rule: alerts#mail.
 */
import { requireOptions } from "@gatewarden/contract/internal"
import type { MailMessage, SendMail } from "@gatewarden/core"
import type { Socket } from "node:net"
import { MailSocket } from "./MailSocket.ts"

/** The server that mail is sent through, and its sender. */
export interface SmtpOptions {
  /** `smtp://user:password@host:587` or `smtps://…`; its query may hold options of nodemailer. */
  readonly url: string
  /** An address, with a name or without: `Gatewarden <alerts@example.com>`. */
  readonly from: string
}

/** For the connection, the greeting and each answer. */
const timeoutMillis = 8_000

/** The domain of the address that mail comes from. */
const domainOf = (from: string): string => from.slice(from.lastIndexOf("@") + 1).replace(/>\s*$/, "")

/**
 * Sends mail over SMTP, for the option `mail` of `createGatewarden`.
 *
 * @param options see [SmtpOptions](#smtpoptions)
 * @returns a function that sends one message of plain text
 * @throws TypeError for options that do not exist
 * @example
 * const mail = smtpTransport({ url: "smtp://127.0.0.1:2525", from: "alerts@example.com" })
 * const gatewarden = await createGatewarden({ store: memory(), mail })
 */
export const smtpTransport = (options: SmtpOptions): SendMail => {
  requireOptions<SmtpOptions>("smtpTransport", options, { url: true, from: true })
  const { url, from } = options
  const domain = domainOf(from)
  return async ({ to, subject, text, messageId }: MailMessage, signal?: AbortSignal) => {
    // Loaded by the first message: most hosts send none.
    const { createTransport } = await import("nodemailer")
    const transport = createTransport({
      url,
      // nodemailer needs no more of a socket than this one has.
      socket: new MailSocket(signal, new URL(url).searchParams.get("localAddress") ?? undefined) as unknown as Socket,
      connectionTimeout: timeoutMillis,
      greetingTimeout: timeoutMillis,
      socketTimeout: timeoutMillis,
      // A message names neither files nor addresses to read from.
      disableFileAccess: true,
      disableUrlAccess: true
    })
    try {
      const { rejected } = await transport.sendMail({
        from,
        to: [...to],
        subject,
        text,
        messageId: `<${messageId}@${domain}>`,
        headers: { "auto-submitted": "auto-generated" },
        signal
      })
      return { rejected }
    } finally {
      transport.close()
    }
  }
}
