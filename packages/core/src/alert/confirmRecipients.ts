/**
 * Asks recipients of mail to confirm.
 *
 * Rule: alerts#recipients. The mail has no text of the tenant, because anybody may be named as a recipient; the address of the link is the
 * operator's, never that of a request, because the client writes the Host header.
 */
import type { AlertChannel } from "@gatewarden/contract"
import { Clock, Context, Effect } from "effect"
import { invalid } from "../value/failure.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { base64url, compareText } from "../value/text.ts"
import { dayMillis, formatInstant } from "../value/calendar.ts"
import { type ChannelFields, MailRecipients } from "../ports/alerts.ts"
import { MailTransport, consumeMail } from "./mail.ts"
import { type MailMessage } from "./SendMail.ts"

/** The address by which clients know the base path; undefined if the operator has named none. */
export const PublicUrl = Context.Reference<string | undefined>("gatewarden/PublicUrl", {
  defaultValue: () => undefined
})

/** Below the base path. */
export const confirmMailPath = "/confirm-mail"

const tokenBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{43}$/
const linkDays = 7

/** A mail ends after this. */
export const mailMillis = 10_000

export const mailboxOf = (address: string): string => address.toLowerCase()

const textOf = (link: string): string =>
  `Somebody has named this address as a recipient of alerts: mails about
budgets of AI models, keys that expire, and deliveries that fail.

To get these alerts, open this page and press the button:

${link}

The link works for ${linkDays} days. If you do not want these alerts, do nothing:
without your confirmation there are none.
`

/** Those of a channel's addresses that have not confirmed, as the channel has them, with the end of the last link. */
export const unconfirmedOf = Effect.fnUntraced(function* (account_id: string, to: readonly string[]) {
  if (to.length === 0) return []
  const found = yield* (yield* MailRecipients).unconfirmed(account_id, [...new Set(to.map(mailboxOf))])
  const ends = new Map(found.map(({ address, link_ends_at }) => [address, link_ends_at]))
  return to.flatMap((address) => {
    const link_ends_at = ends.get(mailboxOf(address))
    return link_ends_at === undefined ? [] : [{ address, link_ends_at }]
  })
})

/** 400 if an address could not confirm. */
export const requireConfirmable = Effect.fnUntraced(function* (account_id: string, to: readonly string[]) {
  if ((yield* MailTransport) !== undefined && (yield* PublicUrl) !== undefined) return
  const [first] = yield* unconfirmedOf(account_id, to)
  if (first !== undefined)
    return yield* invalid(
      "mail_unavailable",
      "config.to",
      `${first.address} has not confirmed and could not: this server does not know its own address, or cannot send mail`
    )
})

/** The mail with a new link for an address; undefined if there was too much mail, or it has confirmed meanwhile. */
const linkFor = Effect.fnUntraced(function* (account_id: string, publicUrl: string, to: string) {
  const address = mailboxOf(to)
  if ((yield* consumeMail(account_id, address, "link")) !== undefined) return undefined
  const token = base64url((yield* Entropy).bytes(tokenBytes))
  const token_hash = yield* (yield* Digest).sha256Hex(token)
  const ends_at = formatInstant((yield* Clock.currentTimeMillis) + linkDays * dayMillis)
  if (!(yield* (yield* MailRecipients).ask(account_id, { address, token_hash, ends_at }))) return undefined
  const message: MailMessage = {
    to: [to],
    subject: "[Gatewarden] Confirm that you want alerts by mail",
    text: textOf(`${publicUrl}${confirmMailPath}?token=${token}`),
    messageId: (yield* Entropy).uuid()
  }
  return message
})

/**
 * Sends links to those of the addresses that have not confirmed, and answers to how many. `again`: also if the link that an address was
 * sent before still confirms.
 */
export const askRecipients = Effect.fnUntraced(function* (account_id: string, to: readonly string[], again = false) {
  const [send, publicUrl] = [yield* MailTransport, yield* PublicUrl]
  if (send === undefined || publicUrl === undefined) return 0
  const now = formatInstant(yield* Clock.currentTimeMillis)
  const asked = (yield* unconfirmedOf(account_id, to))
    .filter(({ link_ends_at }) => again || link_ends_at === null || link_ends_at <= now)
    .map(({ address }) => address)
  // In one order, so that requests with the same addresses wait for each other's counts, and not in a circle.
  const messages = yield* Effect.forEach(asked.sort(compareText), (address) => linkFor(account_id, publicUrl, address))
  const sent = yield* Effect.forEach(
    messages.filter((message) => message !== undefined),
    (message) =>
      Effect.tryPromise((signal) => send(message, signal)).pipe(
        Effect.as(true),
        Effect.timeout(mailMillis),
        Effect.orElseSucceed(() => false)
      ),
    { concurrency: "unbounded" }
  )
  return sent.filter((isSent) => isSent).length
})

/** Confirms the address of a link; false if there is no such link any more. */
export const confirmRecipient = Effect.fnUntraced(function* (token: string) {
  if (!tokenPattern.test(token)) return false
  const token_hash = yield* (yield* Digest).sha256Hex(token)
  return yield* (yield* MailRecipients).confirm(token_hash, formatInstant(yield* Clock.currentTimeMillis))
})

const recipientsOf = (channel: ChannelFields): readonly string[] => (channel.type === "email" ? channel.config.to : [])

/** Channels of an account as they are answered. */
export const shownChannels = Effect.fnUntraced(function* (account_id: string, channels: readonly ChannelFields[]) {
  const unconfirmed = yield* unconfirmedOf(account_id, [...new Set(channels.flatMap(recipientsOf))])
  const addresses = new Set(unconfirmed.map(({ address }) => address))
  return channels.map((channel): AlertChannel =>
    channel.type === "email"
      ? { ...channel, unconfirmed_recipients: channel.config.to.filter((address) => addresses.has(address)) }
      : channel
  )
})

export const shownChannel = (account_id: string, channel: ChannelFields) =>
  Effect.map(shownChannels(account_id, [channel]), ([shown]) => shown as AlertChannel)
