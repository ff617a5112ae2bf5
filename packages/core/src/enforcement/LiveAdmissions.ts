/**
 * The admissions that this process has granted and that are still open: what they allow, for as long as they last.
 *
 * A credential is opened only for a candidate of one of them (docs/enforcement.md), and what was redacted reversibly is known
 * nowhere else.
 */
import { Context, Layer } from "effect"

export interface LiveAdmission {
  readonly account_id: string
  readonly workspace_id: string
  /** Epoch milliseconds. */
  readonly expires_at: number
  /** Ids of the credentials among its candidates, with their providers. */
  readonly credentials: ReadonlyMap<string, string>
}

export interface LiveAdmissionEntries {
  readonly open: (id: string, admission: LiveAdmission) => void
  readonly find: (id: string, now: number) => LiveAdmission | undefined
  readonly renew: (id: string, expires_at: number) => void
  readonly close: (id: string) => void
}

/** Expired entries are swept when so many have gathered since the last sweep. */
const sweepAfter = 10_000

const makeLiveAdmissions = (): LiveAdmissionEntries => {
  const entries = new Map<string, LiveAdmission>()
  let next = sweepAfter
  return {
    open: (id, admission) => {
      entries.set(id, admission)
      if (entries.size < next) return
      const opened = admission.expires_at - 3_600_000
      for (const [other, { expires_at }] of entries) if (expires_at <= opened) entries.delete(other)
      next = entries.size + sweepAfter
    },
    find: (id, now) => {
      const entry = entries.get(id)
      return entry !== undefined && entry.expires_at > now ? entry : undefined
    },
    renew: (id, expires_at) => {
      const entry = entries.get(id)
      if (entry !== undefined) entries.set(id, { ...entry, expires_at })
    },
    close: (id) => void entries.delete(id)
  }
}

export class LiveAdmissions extends Context.Service<LiveAdmissions, LiveAdmissionEntries>()(
  "gatewarden/LiveAdmissions"
) {}

export const layerLiveAdmissions = Layer.sync(LiveAdmissions, makeLiveAdmissions)
