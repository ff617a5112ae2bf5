/**
 * How much of requests' bodies may be under way, and how slowly they may arrive.
 *
 * Rule: requests#bodies-in-flight. The order of checks stays as it is (Rule: requests#order-of-checks).
 */

/** Bytes of bodies that arrive or are worked on at one time. One body is always let in, however small the cap. */
export interface InFlightCap {
  /** Of everybody, in this process; beyond: 503. */
  readonly process: number
  /** Of one key, in this process; beyond: 429. */
  readonly key: number
}

/** Limits of the bodies of requests: how slowly they may arrive, and how many bytes may be in flight. */
export interface BodyLimits {
  /** Milliseconds that a body may be waited for, whatever its size. */
  readonly graceMillis: number
  /** Bytes that must arrive in every second of waiting beyond that, on average. */
  readonly minBytesPerSecond: number
  /** Files go to their storage in pieces, so these are bytes that are announced, not held. */
  readonly uploads: InFlightCap
  /** JSON is held as a whole, and several times over once it is read. */
  readonly json: InFlightCap
}

export const defaultBodyLimits: BodyLimits = {
  graceMillis: 30_000,
  minBytesPerSecond: 65_536,
  uploads: { process: 4_000_000_000, key: 1_400_000_000 },
  json: { process: 134_217_728, key: 67_108_864 }
}

/** A body of at most this many bytes, 64 KiB, is not counted: there are no more of them than connections. */
export const maxShortBytes = 65_536

/** The least that may be asked of a client: the largest file is through before what broke off is swept (`sweepFiles`). */
export const maxBodyGraceMillis = 300_000
export const minBodyBytesPerSecond = 32_768
