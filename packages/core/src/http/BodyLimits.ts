/**
 * Limits on bytes of request bodies in flight, and on the speed at which they arrive.
 *
 * Rule: requests#bodies-in-flight. The order of checks stays as it is (Rule: requests#order-of-checks).
 */

/** Bytes of bodies that are received or processed at one time. One body is always accepted, however small the cap. */
export interface InFlightCap {
  /** For all callers of this process; beyond: 503. */
  readonly process: number
  /** For one key in this process; beyond: 429. */
  readonly key: number
}

/** Limits of the bodies of requests: how slowly they may arrive, and how many bytes may be in flight. */
export interface BodyLimits {
  /** Milliseconds that a body may be waited for, whatever its size. */
  readonly graceMillis: number
  /** Bytes that must arrive in every second of waiting beyond that, on average. */
  readonly minBytesPerSecond: number
  /** Files are streamed to their storage, so these are announced bytes, not bytes in memory. */
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

/** The minimum speed that may be configured: the largest file arrives before the sweep of interrupted uploads (`sweepFiles`). */
export const maxBodyGraceMillis = 300_000
export const minBodyBytesPerSecond = 32_768
