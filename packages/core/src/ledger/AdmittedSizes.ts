/**
 * The sizes of this process' open admissions. A settlement that does not report a unit is charged what was held for it, without a query.
 * One small entry for each open admission.
 *
 * An entry is removed when its admission is settled or cancelled, ten minutes after it expires, and, oldest first, if there are too many.
 * Another
 * process reads the size with the hold (`BudgetLedger.heldUnder`); for an admission that held nothing there is no size
 * (docs/connect-your-gateway.md).
 */
import { Context, Layer } from "effect"
import { ExpiryQueue } from "../value/ExpiryQueue.ts"
import type { RequestSize } from "../request/requestSize.ts"

/** `expires_at` and `now` in epoch milliseconds. */
export interface AdmittedSizeEntries {
  /** Adds an entry, and drops expired ones: at most a thousand a call. */
  readonly open: (id: string, size: RequestSize, expires_at: number, now: number) => void
  readonly find: (id: string) => RequestSize | undefined
  readonly renew: (id: string, expires_at: number) => void
  readonly close: (id: string) => void
  /** Entries in memory. */
  readonly count: () => number
}

/** A late report is still charged by the known size. */
const graceMillis = 600_000

const maxEntries = 100_000
const droppedAtOnce = 1_000

const makeAdmittedSizes = (): AdmittedSizeEntries => {
  const entries = new Map<string, RequestSize>()
  const expiries = new ExpiryQueue()
  const close = (id: string): void => {
    entries.delete(id)
    expiries.delete(id)
  }
  return {
    open: (id, size, expires_at, now) => {
      for (let dropped = 0; dropped < droppedAtOnce; dropped++) {
        const gone = expiries.next(entries.size < maxEntries ? now : Infinity)
        if (gone === undefined) break
        entries.delete(gone)
      }
      entries.set(id, size)
      expiries.set(id, expires_at + graceMillis)
    },
    find: (id) => entries.get(id),
    renew: (id, expires_at) => {
      if (entries.has(id)) expiries.set(id, expires_at + graceMillis)
    },
    close,
    count: () => entries.size
  }
}

export class AdmittedSizes extends Context.Service<AdmittedSizes, AdmittedSizeEntries>()("gatewarden/AdmittedSizes") {}

export const layerAdmittedSizes = Layer.sync(AdmittedSizes, makeAdmittedSizes)
