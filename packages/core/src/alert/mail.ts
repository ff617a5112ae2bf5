import { Context, Effect } from "effect"
import { Digest } from "../platform/Digest.ts"
import { type Quota, type QuotaWindow, RequestCounts } from "../ports/limits.ts"
import { type AlertMessage, describeAlert } from "./describeAlert.ts"
import type { SendMail } from "./SendMail.ts"

/** How mail is sent, if it can be. Rule: alerts#mail. */
export const MailTransport = Context.Reference<SendMail | undefined>("gatewarden/MailTransport", {
  defaultValue: () => undefined
})

const thresholds: readonly AlertMessage["type"][] = ["budget.spent_80", "budget.spent_95", "budget.denied"]

/** The window and the limit of a budget. */
const budgetOf = ({ subject, data }: AlertMessage): string =>
  JSON.stringify([subject, data["window_start"], data["limit_usd"]])

const isBelow = (message: AlertMessage, other: AlertMessage): boolean =>
  thresholds.includes(message.type) &&
  thresholds.indexOf(other.type) > thresholds.indexOf(message.type) &&
  budgetOf(message) === budgetOf(other)

/**
 * Alerts as one mail of plain text.
 *
 * Rule: alerts#formats. Of several thresholds that one budget has reached, the highest is told: a denial, then 95 %, then 80 %.
 */
export const mailBody = (messages: readonly AlertMessage[]): { readonly subject: string; readonly text: string } => {
  const told = messages.filter((message) => !messages.some((other) => isBelow(message, other))).map(describeAlert)
  const more = told.length - 1
  const rest = more < 1 ? "" : `, and ${more} more ${more === 1 ? "alert" : "alerts"}`
  return {
    subject: `[Gatewarden] ${told[0]?.title ?? ""}${rest}`,
    text: told
      .map(({ title, facts }) => [`${title}.`, "", ...facts.map(([name, value]) => `${name}: ${value}`), ""].join("\n"))
      .join("\n")
  }
}

/**
 * How much mail there is: for each account, and for each address whatever accounts send to it.
 *
 * Rule: alerts#mail-quotas. The store counts, so that all processes share the counts; it stores a digest of the mailbox.
 *
 * In any hour.
 */
const accountMails = 300
const addressMails = 60

/** Of these, tests: so many that they cannot keep alerts from an address. */
const accountTests = 100
const addressTests = 20

/** Mails with a link to confirm, in a UTC day. */
const accountLinks = 50
const addressLinks = 5
/** Of these from one account: so many that no account alone keeps an address from confirming for others. */
const pairLinks = 3

const hour = { kind: "sliding", millis: 3_600_000 } as const
const day = { kind: "utc_day" } as const

/**
 * The mailbox that an address is counted as. Mail servers deliver `jane+1@example.com` to `jane@example.com`, so each tag would otherwise have
 * a quota of its own.
 */
export const quotaMailbox = (address: string): string => {
  const at = address.lastIndexOf("@")
  const local = address.slice(0, at)
  const plus = local.indexOf("+")
  // A local part that begins with a plus has no name before it, and stays as it is.
  return `${plus > 0 ? local.slice(0, plus) : local}${address.slice(at)}`.toLowerCase()
}

/** Counts a mail to an address; undefined, or the seconds until there may be another. */
export const consumeMail = Effect.fnUntraced(function* (
  account_id: string,
  address: string,
  kind: "alert" | "test" | "link"
) {
  const mailbox = yield* (yield* Digest).sha256Hex(quotaMailbox(address))
  const both = (name: string, perAccount: number, perAddress: number, window: QuotaWindow): readonly Quota[] => [
    { bucket: `${name}/account/${account_id}`, limit: perAccount, window },
    { bucket: `${name}/address/${mailbox}`, limit: perAddress, window }
  ]
  const quotas = [
    ...both("mail", accountMails, addressMails, hour),
    ...(kind === "test" ? both("mail_test", accountTests, addressTests, hour) : []),
    ...(kind === "link"
      ? [
          ...both("mail_link", accountLinks, addressLinks, day),
          { bucket: `mail_link/pair/${account_id}/${mailbox}`, limit: pairLinks, window: day }
        ]
      : [])
  ]
  const { admitted, states, now } = yield* (yield* RequestCounts).consume(quotas)
  if (admitted) return undefined
  const full = states.filter(({ remaining }) => remaining === 0)
  return Math.max(1, ...full.map(({ resetsAt }) => Math.ceil((resetsAt - now) / 1_000)))
})
