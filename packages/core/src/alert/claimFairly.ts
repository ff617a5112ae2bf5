/** Which of the alerts that are due are sent now: the same in every store. Rule: alerts#attempts. */
import { takeFairly } from "../ports/limits.ts"
import type { WantedAlerts } from "../ports/alerts.ts"

/** Of one channel in a claim. */
const mostOfChannel = 3
/** A mail tells of so many. */
export const mostOfMail = 20

/** A delivery that is due. */
export interface DueAlert {
  readonly account_id: string
  readonly channel_id: string
  /** What is due for a mailbox is one message. */
  readonly isMail: boolean
  /** The last attempt of the channel failed. */
  readonly isFailing: boolean
}

/** What is told together, or alone. */
interface Message<Due> {
  readonly account_id: string
  readonly isFailing: boolean
  readonly alerts: Due[]
}

/**
 * Takes a few of each channel and of each account, and of channels that fail as many as they may have.
 *
 * @param due - In the order in which they became due.
 * @param wanted - How many messages may be sent.
 * @returns The alerts of these messages, in the same order.
 */
export const claimFairly = <Due extends DueAlert>(due: readonly Due[], wanted: WantedAlerts): readonly Due[] => {
  const ofChannels = new Map<string, Message<Due>[]>()
  const messages: Message<Due>[] = []
  for (const alert of due) {
    const { account_id, channel_id, isMail, isFailing } = alert
    if (wanted.busy.has(channel_id)) continue
    const ofChannel = ofChannels.get(channel_id) ?? []
    ofChannels.set(channel_id, ofChannel)
    const mail = isMail ? ofChannel[0] : undefined
    if (mail !== undefined) {
      if (mail.alerts.length < mostOfMail) mail.alerts.push(alert)
    } else if (ofChannel.length < mostOfChannel) {
      const message = { account_id, isFailing, alerts: [alert] }
      ofChannel.push(message)
      messages.push(message)
    }
  }
  const taken = new Set(
    [
      ...takeFairly(
        messages.filter(({ isFailing }) => !isFailing),
        wanted.well
      ),
      ...takeFairly(
        messages.filter(({ isFailing }) => isFailing),
        wanted.failing
      )
    ].flatMap(({ alerts }) => alerts)
  )
  return due.filter((alert) => taken.has(alert))
}
