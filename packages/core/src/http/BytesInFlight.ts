/**
 * Counts the bytes in flight of one kind of bodies, for the process and for each key.
 *
 * Only keys with a body in flight have an entry.
 */
import type { ReasonOf } from "@gatewarden/contract"
import { RateLimited, Unavailable } from "../failure.ts"
import type { BodyLimits, InFlightCap } from "./BodyLimits.ts"

/** Seconds after which a refused body may be sent again; a short body has finished by then. */
const retryAfterSeconds = 5

/** What one body holds. */
export interface HeldBytes {
  /** Counts more bytes. Fails, and counts nothing, if that exceeds a limit. */
  readonly take: (bytes: number) => RateLimited | Unavailable | undefined
  /** Releases all bytes of the body. Call it after the request is answered, whatever the result. */
  readonly release: () => void
}

interface Reasons {
  readonly process: ReasonOf<503>
  readonly key: ReasonOf<429>
}

export class BytesInFlight {
  readonly #cap: InFlightCap
  readonly #reasons: Reasons
  readonly #ofKeys = new Map<string, number>()
  #ofAll = 0

  constructor(cap: InFlightCap, reasons: Reasons) {
    this.#cap = cap
    this.#reasons = reasons
  }

  /** `key`: a unique name of the sender. */
  hold(key: string): HeldBytes {
    let held = 0
    return {
      take: (bytes) => {
        const ofKey = this.#ofKeys.get(key) ?? 0
        // The only body of a key, or of all, is accepted: a cap below its size would otherwise refuse it for ever.
        if (ofKey > held && ofKey + bytes > this.#cap.key)
          return new RateLimited({
            reason: this.#reasons.key,
            issues: [over(this.#cap.key, "one key")],
            retryAfterSeconds
          })
        if (this.#ofAll > held && this.#ofAll + bytes > this.#cap.process)
          return new Unavailable({
            reason: this.#reasons.process,
            issues: [over(this.#cap.process, "all keys")],
            retryAfterSeconds
          })
        held += bytes
        this.#ofKeys.set(key, ofKey + bytes)
        this.#ofAll += bytes
        return undefined
      },
      release: () => {
        const left = (this.#ofKeys.get(key) ?? 0) - held
        if (left > 0) this.#ofKeys.set(key, left)
        else this.#ofKeys.delete(key)
        this.#ofAll -= held
        held = 0
      }
    }
  }

  /** Bytes of everybody. */
  get size(): number {
    return this.#ofAll
  }
}

const over = (bytes: number, whose: string) => ({
  path: "",
  code: "too_many_bytes",
  message: `Expected at most ${bytes} bytes of such bodies of ${whose} at once`
})

/** Two separate counts: files are streamed, JSON stays in memory. */
export interface BodiesInFlight {
  readonly uploads: BytesInFlight
  readonly json: BytesInFlight
}

export const bodiesInFlight = ({ uploads, json }: BodyLimits): BodiesInFlight => ({
  uploads: new BytesInFlight(uploads, { process: "uploads_in_flight", key: "key_uploads_in_flight" }),
  json: new BytesInFlight(json, { process: "bodies_in_flight", key: "key_bodies_in_flight" })
})
