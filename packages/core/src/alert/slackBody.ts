/**
 * An alert as the JSON of an incoming webhook of Slack.
 *
 * Rule: alerts#formats. Source: docs.slack.dev, "Formatting message text": `&`, `<` and `>` are escaped, so no name becomes a mention or
 * a link. A section has at most 10 fields of 2,000 characters, its text at most 3,000.
 */
import type { AlertMessage } from "./AlertMessage.ts"
import { describeAlert } from "./describeAlert.ts"

const mostFields = 10
const fieldLength = 2_000

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** What could be read as markup within a text: a zero-width space ends it. */
const plain = (text: string): string => escaped(text).replace(/[*_~`]/g, "$&\u200b")

/** Cut before a character reference, never within one. */
const within = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/&[a-z]{0,3}$/, "")}…`

export const slackBody = (message: AlertMessage): string => {
  const { title, facts } = describeAlert(message)
  return JSON.stringify({
    text: plain(title),
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: `*${plain(title)}*` } },
      {
        type: "section",
        fields: facts.slice(0, mostFields).map(([name, value]) => ({
          type: "mrkdwn",
          text: within(`*${name}*\n${plain(value)}`, fieldLength)
        }))
      }
    ]
  })
}
