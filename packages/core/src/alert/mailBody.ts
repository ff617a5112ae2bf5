/**
 * Alerts as one mail of plain text.
 *
 * Rule: alerts#formats. Of several thresholds that one budget has reached, the highest is told: a denial, then 95 %, then 80 %.
 */
import type { AlertMessage } from "./AlertMessage.ts"
import { describeAlert } from "./describeAlert.ts"

const thresholds: readonly AlertMessage["type"][] = ["budget.spent_80", "budget.spent_95", "budget.denied"]

/** The window and the limit of a budget. */
const budgetOf = ({ subject, data }: AlertMessage): string =>
  JSON.stringify([subject, data["window_start"], data["limit_usd"]])

const isBelow = (message: AlertMessage, other: AlertMessage): boolean =>
  thresholds.includes(message.type) &&
  thresholds.indexOf(other.type) > thresholds.indexOf(message.type) &&
  budgetOf(message) === budgetOf(other)

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
