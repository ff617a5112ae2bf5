/**
 * What whole answers of providers take in memory, from their first byte until their clients have read them: for the process, for an account
 * and for a key, within the limits that the server has for its own answers.
 *
 * Rule: requests#answers-in-flight.
 */
import type { BodyLimits } from "@gatewarden/core"
import { bytesInFlight, type HeldBytes, maxShortBytes } from "@gatewarden/core/effect"
import type { BodySender } from "@gatewarden/node"
import { setTimeout as sleep } from "node:timers/promises"
import { getHeapStatistics } from "node:v8"

/** Room for one answer. */
export interface Room {
  /** No answer may be longer, in bytes. */
  readonly longest: number
  /** No answer may take more, in bytes, once it is read. */
  readonly most: number
  /** Counts more bytes, and waits for those of others; rejects with `NoRoom`. Nothing is counted before an answer is long. */
  readonly take: (bytes: number) => Promise<void>
  /** The same for what is in memory already: it waits for nothing, and others wait for it. */
  readonly add: (bytes: number) => void
  /** From now on so many bytes are counted, whatever was before. */
  readonly keep: (bytes: number) => void
}

/** What was bought cannot be held. */
export class NoRoom extends Error {
  override readonly name = "NoRoom"
}

export interface AnswerRooms {
  /** `reader` is asked once there is something to count. */
  readonly room: (reader: () => Promise<BodySender>) => Room
}

export interface RoomSettings {
  /** Default: that of this process. */
  readonly heap?: number
  /** How long an answer that was paid for waits until others have left; default 10,000. */
  readonly waitMillis?: number
}

const pauseMillis = 50

/** No answer of a chat is longer, in bytes, on a heap of a gigabyte. */
const longestAnswer = 67_108_864

export const answerRooms = (limits: BodyLimits, { heap, waitMillis = 10_000 }: RoomSettings = {}): AnswerRooms => {
  const size = heap ?? getHeapStatistics().heap_size_limit
  const { process, key: ofKey } = limits.answers
  const capped = { process: Math.min(process, Math.floor(size / 4)), key: ofKey }
  const { answers } = bytesInFlight({ ...limits, answers: capped })
  return {
    room: (reader) => {
      let held: HeldBytes | undefined
      let short = 0
      return {
        longest: Math.min(longestAnswer, Math.floor(size / 16)),
        most: Math.floor(size / 3),
        take: async (bytes) => {
          if (held === undefined && (short += bytes) <= maxShortBytes) return
          if (held === undefined) {
            const { key, account_id: account } = await reader()
            held = answers.hold({ key, account, reserve: false })
            bytes = short
          }
          for (let waited = 0; ; waited += pauseMillis) {
            if (held.take(bytes) === undefined) return
            if (waited >= waitMillis) break
            await sleep(pauseMillis)
          }
          held.release()
          throw new NoRoom()
        },
        add: (bytes) => held?.add(bytes),
        keep: (bytes) => {
          held?.release()
          if (bytes > maxShortBytes) held?.add(bytes)
        }
      }
    }
  }
}
