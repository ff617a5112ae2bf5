/**
 * The credentials that this process may decrypt, and until when: one entry for each open admission that was granted in process and has a
 * credential among its candidates (docs/connect-your-gateway.md).
 *
 * An entry is removed when its admission is settled, cancelled or expires, so live admissions bound the memory.
 */
import { Context, Layer } from "effect"
import type { LocalRegion } from "../byok/declaredRegion.ts"
import { ExpiryQueue } from "../value/ExpiryQueue.ts"

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

/** Bounds the time of one call. Each call adds one entry and may drop many, so expired entries are soon gone. */
const droppedAtOnce = 1_000

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

export class LiveAdmissions extends Context.Service<LiveAdmissions, LiveAdmissionEntries>()(
  "gatewarden/LiveAdmissions"
) {}

export const layerLiveAdmissions = Layer.sync(LiveAdmissions, makeLiveAdmissions)
