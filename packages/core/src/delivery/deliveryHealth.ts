/** How deliveries are doing, for those who watch an installation. */
import type { DeliveryBacklog, WaitingDestinations } from "../ports/deliveries.ts"

export interface DeliveryHealth {
  /** Events that wait for a destination; 100,000 stands for as many and more. */
  readonly waiting_events: number
  /** Seconds since the first of them was recorded; `null` where none waits. */
  readonly oldest_seconds: number | null
  /** Destinations for which something waits, or whose platform refuses everything, by type. */
  readonly destinations: readonly WaitingDestinations[]
}

export const deliveryHealth = ({ waiting, oldest_at, destinations, now }: DeliveryBacklog): DeliveryHealth => ({
  waiting_events: waiting,
  oldest_seconds: oldest_at === null ? null : Math.max(0, (now - oldest_at) / 1_000),
  destinations
})

/** What waits for longer than this, for destinations that accept, is delivered by nobody. */
const mostWaitingSeconds = 600

/** What is wrong, in a few words; `undefined` when all is well. */
export const deliveryProblem = ({ oldest_seconds, destinations }: DeliveryHealth): string | undefined => {
  const open = destinations.filter((one) => one.open > 0)
  if (open.length > 0)
    return `destinations do not accept what is delivered: ${open.map((one) => `${one.open} of type ${one.type}`).join(", ")}`
  const refusing = destinations.filter((one) => one.refusing > 0)
  if (refusing.length > 0)
    return `platforms refuse everything that is delivered: ${refusing.map((one) => `${one.refusing} of type ${one.type}`).join(", ")}`
  const isFailing = destinations.some(({ failing }) => failing > 0)
  return (oldest_seconds ?? 0) > mostWaitingSeconds && !isFailing
    ? `events have waited for their destinations for ${Math.round((oldest_seconds ?? 0) / 60)} minutes`
    : undefined
}
