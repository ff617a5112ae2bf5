/** The variables of the mail server that alerts are sent through. Rule: alerts#mail. */
import { Redacted } from "effect"
import * as z from "zod"
import { smtpTransport } from "../mail/smtpTransport.ts"

const isSmtpUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return (protocol === "smtp:" || protocol === "smtps:") && hostname !== ""
}

const address = String.raw`[^\s<>@"(),:;\\]+@[A-Za-z0-9.-]+`

export const mailVariables = {
  GATEWARDEN_SMTP_URL: {
    schema: z
      .string()
      .refine(isSmtpUrl, "is not an smtp:// or smtps:// URL; percent-encode special characters in user and password")
      .transform((text) => Redacted.make(text)),
    expected: '"smtp://user:password@host:587" or "smtps://user:password@host"',
    meaning:
      "Mail server that sends alerts to channels of the type email; with smtp:// the connection is encrypted where the server offers it. Needs GATEWARDEN_PUBLIC_URL, because recipients confirm. Unset: there are no such channels.",
    secret: true,
    shown: (text: string) => {
      if (!URL.canParse(text)) return "<redacted>"
      const url = new URL(text)
      if (url.password !== "") url.password = "***"
      return url.href
    }
  },
  GATEWARDEN_SMTP_FROM: {
    schema: z
      .string()
      .regex(new RegExp(String.raw`^(?:${address}|[^\p{Cc}<>@"(),:;\\]+ <${address}>)$`, "u"), "is not an address"),
    expected: 'an address such as "alerts@example.com" or "Gatewarden <alerts@example.com>"',
    meaning: "The sender of mail. Required with GATEWARDEN_SMTP_URL."
  }
} as const

/** The transport that the variables describe; undefined without a server. */
export const mailOf = (values: {
  readonly GATEWARDEN_SMTP_URL?: Redacted.Redacted<string> | undefined
  readonly GATEWARDEN_SMTP_FROM?: string | undefined
}) => {
  const { GATEWARDEN_SMTP_URL: url, GATEWARDEN_SMTP_FROM: from } = values
  return url === undefined || from === undefined ? undefined : smtpTransport({ url: Redacted.value(url), from })
}
