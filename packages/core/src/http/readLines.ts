/**
 * Reads a body of lines: each is validated when it is reached, and the first invalid one fails with its number in the issue.
 *
 * Lines come in groups, which count as in flight until they are recorded.
 */
import type { Body } from "@gatewarden/contract/internal"
import { Effect, Stream } from "effect"
import * as Hex from "effect/encoding/Hex"
import { Digest } from "../platform/Digest.ts"
import { GatheredBytes } from "../value/bytes.ts"
import { checkInput } from "../value/checkInput.ts"
import type { BodyFailure } from "../value/failure.ts"
import { freeValues, weighJson } from "../value/measureJson.ts"
import { parseJson } from "../value/parseJson.ts"
import type { AppRequest } from "./AppRequest.ts"
import { type BodyLimits, maxShortBytes } from "./BodyLimits.ts"
import type { HeldBytes } from "./BytesInFlight.ts"
import { arriving, invalidJson, tooLarge } from "./receiveBody.ts"

/** A group has so many lines, and takes so many bytes of memory, at most. A line that takes more by itself is a group. */
const linesAtOnce = 1_000
const bytesAtOnce = 4_194_304

/** Counts bytes that come and go, as far as they are more than `free`. */
const heldAbove = (held: HeldBytes | undefined, free: number) => {
  let size = 0
  let counted = 0
  return {
    grow: (bytes: number): BodyFailure | undefined => {
      const more = Math.max(0, size + bytes - free) - counted
      const refused = more > 0 ? held?.take(more) : undefined
      if (refused !== undefined) return refused
      size += bytes
      counted += Math.max(0, more)
      return undefined
    },
    shrink: (bytes: number): void => {
      size -= bytes
      const less = counted - Math.max(0, size - free)
      if (less <= 0) return
      held?.drop(less)
      counted -= less
    }
  }
}

interface Group<Line> {
  readonly lines: Line[]
  /** Bytes as they arrived, and what the parsed lines take beyond these. */
  text: number
  values: number
}

const noLines: readonly never[] = []

export const readLines = Effect.fnUntraced(function* (
  request: AppRequest,
  body: Extract<Body, { kind: "jsonOrLines" }>,
  limits: BodyLimits,
  held: HeldBytes | undefined,
  ofValues: HeldBytes | undefined
) {
  const digest = yield* Digest
  let chain = new Uint8Array(0)
  let number = 0
  let isRead = false
  // Only a repetition needs it.
  const isHashed = request.headers["idempotency-key"] !== undefined
  const text = heldAbove(held, maxShortBytes)
  const values = heldAbove(ofValues, freeValues)

  let group: Group<unknown> = { lines: [], text: 0, values: 0 }
  let handed: Group<unknown> | undefined
  let recorded: Group<unknown> | undefined
  /** The operation holds one group back until the next one is there (`UsageLog.recordAll`). When it asks again, it has recorded the one before. */
  const hand = (): readonly unknown[] => {
    recorded = handed
    handed = group
    group = { lines: [], text: 0, values: 0 }
    return handed.lines
  }
  const releaseRecorded = (): void => {
    if (recorded === undefined) return
    text.shrink(recorded.text)
    values.shrink(recorded.values)
    recorded = undefined
  }

  const line = Effect.fnUntraced(function* (bytes: Uint8Array) {
    releaseRecorded()
    const index = number++
    if (isHashed) {
      const linked = new Uint8Array(chain.length + bytes.length)
      linked.set(chain)
      linked.set(bytes, chain.length)
      chain = new Uint8Array(yield* digest.sha256(linked))
    }
    const weight = weighJson(bytes)
    const taken = weight.values + weight.text - bytes.length
    const refused = values.grow(taken)
    if (refused !== undefined) return yield* refused
    const parsed = parseJson(bytes, body.repairs)
    if (!parsed.ok)
      return yield* invalidJson(`lines.${index}${parsed.path && `.${parsed.path}`}`, parsed.code, parsed.message)
    const value = yield* checkInput(body.line, parsed.value, `lines.${index}.`)
    const size = group.text + group.values + bytes.length + taken
    const isFull = group.lines.length === linesAtOnce || (group.lines.length > 0 && size > bytesAtOnce)
    const whole = isFull ? hand() : noLines
    group.lines.push(value)
    group.text += bytes.length
    group.values += taken
    return whole
  })
  // An import has no time limit as a whole; each line has the limit of a body.
  const lines = arriving(request, limits, (chunk) => chunk.includes(lineFeed)).pipe(
    splitLines(body.maxLineBytes, text.grow),
    Stream.mapEffect(line),
    Stream.concat(
      Stream.suspend(() => {
        isRead = true
        return group.lines.length === 0 ? Stream.empty : Stream.sync(hand)
      })
    ),
    Stream.filter((whole) => whole.length > 0)
  )
  const hash = Effect.suspend(() =>
    Effect.map(isRead ? Effect.void : Effect.ignore(Stream.runDrain(lines)), () => Hex.encode(chain))
  )
  return { value: { kind: "lines", lines }, sent: undefined, hash }
})

const lineFeed = 10

/**
 * Cuts bytes at line feeds; blank lines are skipped, a trailing carriage return is white space to JSON. `hold` counts the bytes that a chunk
 * adds to those in memory: lines, and the beginning of one.
 */
const splitLines =
  (maxBytes: number, hold: (bytes: number) => BodyFailure | undefined) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | BodyFailure, R> =>
    Stream.suspend(() => {
      const rest = new GatheredBytes()
      const isBlank = (line: Uint8Array) => line.every((byte) => byte === 32 || byte === 9 || byte === 13)
      const pieces = bytes.pipe(
        Stream.mapEffect((chunk) => {
          const lines: Uint8Array[] = []
          let added = -rest.size
          let from = 0
          for (let end = chunk.indexOf(lineFeed, from); end !== -1; end = chunk.indexOf(lineFeed, from)) {
            // A chunk may have very many that are empty.
            if (end > from) rest.add(chunk.subarray(from, end))
            from = end + 1
            if (rest.size > maxBytes) return Effect.fail(tooLarge())
            if (rest.size === 0) continue
            const line = rest.take()
            if (isBlank(line)) continue
            lines.push(line)
            added += line.length
          }
          if (from < chunk.length) rest.add(chunk.subarray(from))
          if (rest.size > maxBytes) return Effect.fail(tooLarge())
          const refused = hold(added + rest.size)
          return refused === undefined ? Effect.succeed(lines) : Effect.fail(refused)
        }),
        Stream.flatMap(Stream.fromIterable)
      )
      return Stream.concat(
        pieces,
        Stream.suspend(() => (rest.size === 0 ? Stream.empty : Stream.succeed(rest.take())))
      ).pipe(Stream.filter((line) => !isBlank(line)))
    })
