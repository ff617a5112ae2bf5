/**
 * What whole answers of providers take in memory, from their first byte until their clients have read them: for the process, for an account
 * and for a key, within the limits that the server has for its own answers.
 *
 * Rule: requests#answers-in-flight.
 */
import type { BodyLimits, GrantedAdmission } from "@gatewarden/core"
import { bytesInFlight, maxShortBytes, measureJson } from "@gatewarden/core/effect"
import type { BodySender } from "@gatewarden/node"
import { setTimeout as sleep } from "node:timers/promises"
import { getHeapStatistics } from "node:v8"
import { loopShare } from "./LoopShare.ts"

/** Room for one answer. */
export interface Room {
  /** No answer may be longer, in bytes. */
  readonly longest: number
  /** No answer may take more, in bytes, once it is read. */
  readonly most: number
  /** Counts more bytes, and waits for those of others; rejects with `NoRoom`. Nothing is counted before an answer is long. */
  readonly take: (bytes: number) => Promise<void>
  /** The same for what a long answer takes once it is read: its bytes are in memory, so that it waits for nothing, and others wait for it. */
  readonly add: (bytes: number) => Promise<void>
  /** Waits until so many bytes may be handled, in turn with other accounts; nothing to wait for: `undefined`. */
  readonly turn: (bytes: number) => Promise<void> | undefined
  /** From now on so many bytes are counted, whatever was before. */
  readonly keep: (bytes: number) => void
}

/** What is restored is a text, in JSON and in bytes at once. */
const copiesRestored = 3

/** Waits until what was redacted can be put back into a text, which may make it much longer. */
export const takeGrowth = async (
  text: string,
  restore: GrantedAdmission["restore"],
  { take, turn }: Pick<Room, "take" | "turn">
): Promise<void> => {
  const more = restore === undefined ? 0 : restore.growth(text)
  if (more === 0) return
  await turn(more)
  await take(copiesRestored * more)
}

/** What was bought cannot be held. */
export class NoRoom extends Error {
  override readonly name = "NoRoom"
}

export interface AnswerRooms {
  /** `reader` is asked once there is something to count. `key`: whose turn it is until the account is known. */
  readonly room: (reader: () => Promise<BodySender>, key?: string) => Room
}

export interface RoomSettings {
  /** Default: that of this process. */
  readonly heap?: number
  /** How long an answer that was paid for waits until others have left; default 10,000. */
  readonly waitMillis?: number
}

/**
 * No answer has more objects, lists and values in them, as no request has: others wait while one is read and written. A token with twenty
 * probabilities of others has about 150.
 */
const valuesOfAnswer = 200_000

/** No object of an answer has more members, as none of a request has: each is looked up among all others. */
const membersOfObject = 5_000

/** No answer nests deeper: nor may the request that brings it back. */
const deepest = 64

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a

/** Whether a text has too many values, levels or members of one object, should it be JSON. What is empty counts twice. */
const isBeyond = (json: Uint8Array, most: number): boolean => {
  const members = new Uint32Array(deepest + 1)
  let values = 1
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (byte === quote) {
      for (at++; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++
    } else if (byte === comma) values++
    else if (byte === colon) {
      if (++(members[depth] as number) > membersOfObject) return true
    }
    // Brackets and braces differ in one bit.
    else if ((byte | 0x20) === 0x7b) {
      values++
      depth++
      members[depth] = 0
    } else if ((byte | 0x20) === 0x7d) depth--
    if (values > most || depth > deepest) return true
  }
  return false
}

/**
 * Counts what JSON takes once it is read, and printed for the client, and resolves with that; rejects where that, or what is in it, is more
 * than any may have.
 */
export const weigh = async (body: Uint8Array, { most, add }: Room, mostValues = valuesOfAnswer): Promise<number> => {
  if (isBeyond(body, mostValues)) throw new Error("too many values")
  const { values, text } = measureJson(body)
  if (values + 2 * text > most) throw new Error("too much")
  await add(values + 2 * text)
  return values + 2 * text
}

const pauseMillis = 50

/** No answer of a chat is longer, in bytes, on a heap of half a gigabyte. */
const longestAnswer = 33_554_432

/** Waits in the middle of an answer until `fits`, and tells whether it did. */
const within = async (millis: number, fits: () => boolean): Promise<boolean> => {
  for (let waited = 0; !fits(); waited += pauseMillis) {
    if (waited >= millis) return false
    await sleep(pauseMillis)
  }
  return true
}

export const answerRooms = (limits: BodyLimits, { heap, waitMillis = 10_000 }: RoomSettings = {}): AnswerRooms => {
  const heapBytes = heap ?? getHeapStatistics().heap_size_limit
  const { process, key: ofKey } = limits.answers
  const capped = { ...limits, answers: { process: Math.min(process, Math.floor(heapBytes / 4)), key: ofKey } }
  const { answers } = bytesInFlight(capped)
  /** Of these, what waits to be read by clients. */
  const { answers: unread } = bytesInFlight(capped)
  /** Answers that are still arriving, by account, the oldest first. */
  const arriving = new Map<string, Set<object>>()
  const most = Math.floor(heapBytes / 3)

  const roomOf = ({ key, account_id: account }: BodySender) => {
    const sender = { key, account, reserve: false }
    const held = answers.hold(sender)
    const kept = unread.hold(sender)
    const self = {}
    const peers = arriving.get(account) ?? new Set()
    arriving.set(account, peers.add(self))
    let size = 0
    /** The oldest passes those behind it, which would otherwise wait for it as it waits for them: not what clients have to read first. */
    const passes = (bytes: number): boolean => {
      if (peers.values().next().value !== self || answers.size + bytes > most) return false
      const refused = kept.take(size + bytes)
      kept.release()
      if (refused === undefined) held.add(bytes)
      return refused === undefined
    }
    const leave = () => {
      peers.delete(self)
      if (peers.size === 0 && arriving.get(account) === peers) arriving.delete(account)
      held.release()
      kept.release()
    }
    return {
      add: held.add,
      take: async (bytes: number): Promise<void> => {
        if (await within(waitMillis, () => held.take(bytes) === undefined || passes(bytes))) size += bytes
        else {
          leave()
          throw new NoRoom()
        }
      },
      keep: (bytes: number): void => {
        leave()
        if (bytes <= maxShortBytes) return
        held.add(bytes)
        kept.add(bytes)
      }
    }
  }

  return {
    room: (reader, key = "") => {
      let owner = key
      let isKnown = false
      const turn = (bytes: number): Promise<void> | undefined => {
        const waited = loopShare.take(bytes, owner)
        if (waited === undefined || isKnown) return waited
        isKnown = true
        void reader().then(
          ({ account_id }) => (owner = account_id),
          () => {}
        )
        return waited
      }
      let counted: ReturnType<typeof roomOf> | undefined
      let short = 0
      const take = async (bytes: number): Promise<void> => {
        if (counted !== undefined) return counted.take(bytes)
        short += bytes
        if (short <= maxShortBytes) return
        counted = roomOf(await reader())
        await counted.take(short)
      }
      return {
        longest: Math.min(longestAnswer, Math.floor(heapBytes / 16)),
        most,
        take,
        turn,
        add: async (bytes) => (counted === undefined ? take(bytes) : counted.add(bytes)),
        keep: (bytes) => {
          counted?.keep(bytes)
          if (bytes > 0) return
          counted = undefined
          short = 0
        }
      }
    }
  }
}
