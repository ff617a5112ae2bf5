/** Bytes that have arrived, or wait to be read, at one time. One body is always accepted, however small the cap. */
export interface InFlightCap {
  /** For all callers of this process; beyond: 503. */
  readonly process: number
  /** For one key in this process; beyond: 429, of answers 503. At most half of the share of its account applies. */
  readonly key: number
}

/** One account has at most this part of what a process takes, so that no account keeps the others out. */
export const accountShare = 8

/**
 * The API keys of an account leave this part of its share to its management keys, and these leave as much to the API keys, so that neither
 * keep the others out.
 */
export const otherKindShare = 4

/** One key has at most this part of the share of its account, so that it does not keep the other keys out. */
export const keyShare = 2

/** This part of what a process takes is kept for management and gateway keys. */
export const reservedShare = 8

/**
 * Limits on bytes in flight, of request bodies and of answers, and on the speed at which clients send and read them.
 *
 * Rule: requests#bodies-in-flight, requests#answers-in-flight. The order of checks stays as it is (Rule: requests#order-of-checks).
 *
 * Limits of bodies and answers: how slowly clients may send and read, and how many bytes may be in flight.
 */
export interface BodyLimits {
  /** Milliseconds that the first byte of a body may be waited for. */
  readonly firstByteMillis: number
  /** Milliseconds that a body or a reader may be waited for, whatever the size. */
  readonly graceMillis: number
  /** Bytes that a client must send or read in every second of waiting beyond that, on average. */
  readonly minBytesPerSecond: number
  /** Files are streamed to their storage, so these are bytes that have arrived, not bytes in memory. */
  readonly uploads: InFlightCap
  /** JSON is held as a whole, and several times over once it is read. */
  readonly json: InFlightCap
  /** What the values of short JSON bodies take in memory beyond their text. Default: as for `json`. */
  readonly values?: InFlightCap
  /** Answers in memory that their clients have not read yet. */
  readonly answers: InFlightCap
}

export const defaultBodyLimits: BodyLimits = {
  firstByteMillis: 2_000,
  graceMillis: 30_000,
  minBytesPerSecond: 65_536,
  uploads: { process: 4_000_000_000, key: 250_000_000 },
  json: { process: 134_217_728, key: 8_388_608 },
  answers: { process: 134_217_728, key: 8_388_608 }
}

/** The bytes of a body or an answer of at most 64 KiB are not counted: there are no more of them than connections. */
export const maxShortBytes = 65_536

/** The minimum speed that may be configured: the largest file arrives before the sweep of interrupted uploads (`sweepStaleFiles`). */
export const maxBodyGraceMillis = 300_000
export const minBodyBytesPerSecond = 32_768
