/**
 * The sizes of this process' open admissions, and what they hold: a settlement that does not report a unit is charged what was held for
 * it, without a query. One small entry for each open admission.
 *
 * An entry is removed when its admission is settled or cancelled, ten minutes after it expires, and, oldest first, if there are too many.
 * Another process reads the size with the hold (`BudgetLedger.heldUnder`); for an admission that held nothing there is no size
 * (docs/connect-your-gateway.md).
 */
import { Context, Layer } from "effect"
import type { LocalRegion } from "../byok/byok.ts"
import type { HeldUnder } from "../ports/ledger.ts"
import { ExpiryQueue } from "../value/ExpiryQueue.ts"
import { bytesHeld } from "../value/bytes.ts"

/** `expires_at` and `now` in epoch milliseconds. */
export interface AdmittedSizeEntries {
  /** Adds an entry, and drops expired ones: at most a thousand a call. */
  readonly open: (id: string, held: HeldUnder, expires_at: number, now: number) => void
  readonly find: (id: string) => HeldUnder | undefined
  readonly renew: (id: string, expires_at: number) => void
  readonly close: (id: string) => void
  /** Entries in memory. */
  readonly count: () => number
}

/** A late report is still charged by the known size. */
const graceMillis = 600_000

const maxEntries = 100_000
/** The size of a request names its server tools. */
const maxBytes = 134_217_728
const droppedAtOnce = 1_000

const makeAdmittedSizes = (): AdmittedSizeEntries => {
  const entries = new Map<string, { readonly held: HeldUnder; readonly bytes: number }>()
  const expiries = new ExpiryQueue()
  let bytes = 0
  const drop = (id: string): void => {
    bytes -= entries.get(id)?.bytes ?? 0
    entries.delete(id)
  }
  const close = (id: string): void => {
    drop(id)
    expiries.delete(id)
  }
  return {
    open: (id, held, expires_at, now) => {
      for (let dropped = 0; dropped < droppedAtOnce; dropped++) {
        const gone = expiries.next(entries.size < maxEntries && bytes < maxBytes ? now : Infinity)
        if (gone === undefined) break
        drop(gone)
      }
      drop(id)
      const own = bytesHeld(held)
      bytes += own
      entries.set(id, { held, bytes: own })
      expiries.set(id, expires_at + graceMillis)
    },
    find: (id) => entries.get(id)?.held,
    renew: (id, expires_at) => {
      if (entries.has(id)) expiries.set(id, expires_at + graceMillis)
    },
    close,
    count: () => entries.size
  }
}

export class AdmittedSizes extends Context.Service<AdmittedSizes, AdmittedSizeEntries>()("gatewarden/AdmittedSizes") {}

export const layerAdmittedSizes = Layer.sync(AdmittedSizes, makeAdmittedSizes)

/** What the decision knew of a credential. */
export interface AdmittedCredential {
  readonly provider: string
  readonly declared_region?: LocalRegion | undefined
}

export interface LiveAdmission {
  readonly account_id: string
  readonly workspace_id: string
  /** Epoch milliseconds. */
  readonly expires_at: number
  /** The credentials among its candidates, by their ids. */
  readonly credentials: ReadonlyMap<string, AdmittedCredential>
}

/** `now` in epoch milliseconds. */
export interface LiveAdmissionEntries {
  /** Adds an entry, and drops expired ones: at most a thousand a call. */
  readonly open: (id: string, admission: LiveAdmission, now: number) => void
  readonly find: (id: string, now: number) => LiveAdmission | undefined
  readonly renew: (id: string, expires_at: number) => void
  readonly close: (id: string) => void
  /** Entries in memory. */
  readonly size: () => number
}

const makeLiveAdmissions = (): LiveAdmissionEntries => {
  const entries = new Map<string, LiveAdmission>()
  const expiries = new ExpiryQueue()
  const close = (id: string): void => {
    entries.delete(id)
    expiries.delete(id)
  }
  return {
    open: (id, admission, now) => {
      for (let dropped = 0; dropped < droppedAtOnce; dropped++) {
        const expired = expiries.next(now)
        if (expired === undefined) break
        entries.delete(expired)
      }
      entries.set(id, admission)
      expiries.set(id, admission.expires_at)
    },
    find: (id, now) => {
      const entry = entries.get(id)
      if (entry === undefined || entry.expires_at > now) return entry
      close(id)
      return undefined
    },
    renew: (id, expires_at) => {
      const entry = entries.get(id)
      if (entry === undefined) return
      entries.set(id, { ...entry, expires_at })
      expiries.set(id, expires_at)
    },
    close,
    size: () => entries.size
  }
}

/**
 * The credentials that this process may decrypt, and until when: one entry for each open admission that was granted in process and has a
 * credential among its candidates (docs/connect-your-gateway.md).
 *
 * An entry is removed when its admission is settled, cancelled or expires, so live admissions bound the memory.
 */
export class LiveAdmissions extends Context.Service<LiveAdmissions, LiveAdmissionEntries>()(
  "gatewarden/LiveAdmissions"
) {}

export const layerLiveAdmissions = Layer.sync(LiveAdmissions, makeLiveAdmissions)
