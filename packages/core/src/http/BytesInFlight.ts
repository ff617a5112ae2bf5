/**
 * Counts the bytes in flight of one kind: for the process, for each key, and for each account: all of its keys, and its management keys and
 * its API keys apart.
 *
 * Only senders with bytes in flight have an entry.
 */
import type { ReasonOf } from "@gatewarden/contract/internal"
import type { Caller } from "../access/Caller.ts"
import { RateLimited, Unavailable } from "../value/failure.ts"
import {
  type BodyLimits,
  type InFlightCap,
  accountShare,
  keyShare,
  otherKindShare,
  reservedShare
} from "./BodyLimits.ts"

/** Seconds after which a refused request may be sent again; a short body has finished by then. */
const retryAfterSeconds = 5

/** Whose bytes are counted. */
export interface Sender {
  /** A unique name of the key; undefined if the cap of a key does not apply. */
  readonly key: string | undefined
  /** A unique name of the account; undefined if the cap of an account does not apply. */
  readonly account: string | undefined
  /**
   * Whether this is a management or gateway key. It may use the part of the process's cap that is reserved for them, and the other keys of
   * its account leave it a part of the account's share.
   */
  readonly reserve: boolean
}

/** All requests without a key count as one account. A gateway key acts for all accounts, so only the cap of the process applies to it. */
export const senderOf = (caller: Caller | undefined): Sender => {
  if (caller === undefined) return { key: undefined, account: "", reserve: false }
  if (caller.kind === "gateway") return { key: undefined, account: undefined, reserve: true }
  return { key: caller.key_hash, account: caller.account_id, reserve: caller.kind === "management" }
}

/** The bytes of one body or answer. */
export interface HeldBytes {
  /** Counts more bytes. Fails, and counts nothing, if that exceeds a limit. */
  readonly take: (bytes: number) => RateLimited | Unavailable | undefined
  /** Counts more bytes, whatever the limits are: of what is in memory already and cannot be refused. */
  readonly add: (bytes: number) => void
  /** Releases so many of them, which are no longer in memory. */
  readonly drop: (bytes: number) => void
  /** Releases all of them. Call it when they are no longer in memory, whatever the result. */
  readonly release: () => void
}

/** A sum that is limited. */
interface Counted {
  readonly name: string
  readonly cap: number
  readonly whose: string
  /** The sum of those whose only body is accepted, however small the cap is. */
  readonly alone: string
}

interface Reasons {
  readonly process: ReasonOf<503>
  /** Also for an account. Absent where every excess is 503. */
  readonly key?: ReasonOf<429>
}

export class BytesInFlight {
  readonly #cap: InFlightCap
  readonly #reasons: Reasons
  readonly #held = new Map<string, number>()
  #ofAll = 0

  constructor(cap: InFlightCap, reasons: Reasons) {
    this.#cap = cap
    this.#reasons = reasons
  }

  hold({ key, account, reserve }: Sender): HeldBytes {
    const { process } = this.#cap
    const shareCap = Math.ceil(process / accountShare)
    // A configured cap of a key must not let one key take the share of its account.
    const keyCap = account === undefined ? this.#cap.key : Math.min(this.#cap.key, Math.ceil(shareCap / keyShare))
    const counted = [
      ...(key === undefined ? [] : [{ name: `key ${key}`, cap: keyCap, whose: "one key", alone: `key ${key}` }]),
      ...(account === undefined ? [] : sumsOfAccount(account, shareCap, key === undefined, reserve))
    ]
    const ofAllCap = reserve ? process : process - Math.floor(process / reservedShare)
    let held = 0
    const add = (bytes: number): void => {
      held += bytes
      for (const { name } of counted) this.#held.set(name, (this.#held.get(name) ?? 0) + bytes)
      this.#ofAll += bytes
    }
    const drop = (bytes: number): void => {
      for (const { name } of counted) {
        const left = (this.#held.get(name) ?? 0) - bytes
        if (left > 0) this.#held.set(name, left)
        else this.#held.delete(name)
      }
      this.#ofAll -= bytes
      held -= bytes
    }
    return {
      add,
      drop,
      take: (bytes) => {
        // The only body of a sender, or of all, is accepted: a cap below its size would otherwise refuse it for ever.
        const heldBy = (name: string) => this.#held.get(name) ?? 0
        for (const { name, cap, whose, alone } of counted)
          if (heldBy(alone) > held && heldBy(name) + bytes > cap) {
            const problem = { issues: [over(cap, whose)], retryAfterSeconds }
            return this.#reasons.key === undefined
              ? new Unavailable({ reason: this.#reasons.process, ...problem })
              : new RateLimited({ reason: this.#reasons.key, ...problem })
          }
        if (this.#ofAll > held && this.#ofAll + bytes > ofAllCap)
          return new Unavailable({
            reason: this.#reasons.process,
            issues: [over(ofAllCap, "all keys")],
            retryAfterSeconds
          })
        if (bytes > 0) add(bytes)
        return undefined
      },
      release: () => drop(held)
    }
  }

  /** Bytes of everybody. */
  get size(): number {
    return this.#ofAll
  }
}

/** What an account's keys of one kind hold never refuses the only body of the other kind. */
const sumsOfAccount = (account: string, share: number, hasNoKey: boolean, reserve: boolean): readonly Counted[] => {
  const all = `account ${account}`
  if (hasNoKey) return [{ name: all, cap: share, whose: "the requests without a key", alone: all }]
  const keys = reserve ? "the management keys" : "the API keys"
  const ofKind = `${keys} of ${account}`
  const kindCap = share - Math.floor(share / otherKindShare)
  return [
    { name: ofKind, cap: kindCap, whose: `${keys} of one account`, alone: ofKind },
    { name: all, cap: share, whose: "all keys of one account", alone: ofKind }
  ]
}

const over = (bytes: number, whose: string) => ({
  path: "",
  code: "too_many_bytes",
  message: `Expected at most ${bytes} bytes in flight of ${whose}`
})

/**
 * Separate counts: uploads are streamed, JSON bodies and answers stay in memory, short bodies count by their values alone, and answers of
 * changes are never refused.
 */
export interface Traffic {
  readonly uploads: BytesInFlight
  readonly json: BytesInFlight
  readonly values: BytesInFlight
  readonly answers: BytesInFlight
  readonly changes: BytesInFlight
}

const ofBodies = { process: "bodies_in_flight", key: "key_bodies_in_flight" } as const

export const bytesInFlight = ({ uploads, json, values = json, answers }: BodyLimits): Traffic => ({
  uploads: new BytesInFlight(uploads, { process: "uploads_in_flight", key: "key_uploads_in_flight" }),
  json: new BytesInFlight(json, ofBodies),
  values: new BytesInFlight(values, ofBodies),
  answers: new BytesInFlight(answers, { process: "answers_in_flight" }),
  changes: new BytesInFlight(answers, { process: "answers_in_flight" })
})
