/**
 * Judges the answer of an OTLP intake: a success may reject spans.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
import { type DeliveryVerdict, type RenderedRequest, judgeStatus } from "./Renderer.ts"

/**
 * Reads what a platform says of spans that it rejected, in either encoding of OTLP.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#partial-success-1, https://protobuf.dev/programming-guides/encoding/
 */
export interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

/** The number of a field, and its number or bytes; fixed ones are left out. */
type Field = readonly [field: number, value: bigint | Uint8Array]

/** A varint has seven bits a byte, and at most ten bytes. */
const varintAt = (bytes: Uint8Array, at: number): readonly [value: bigint, next: number] | undefined => {
  let value = 0n
  for (let index = 0; index < 10; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return undefined
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return undefined
}

const fixedSizes: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/** The fields of a message until its end, or until the answer was cut off or is no protobuf. */
const fieldsOf = (bytes: Uint8Array): readonly Field[] => {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length;) {
    const tag = varintAt(bytes, at)
    if (tag === undefined) return fields
    const [key, next] = tag
    const field = Number(key >> 3n)
    const type = Number(key & 7n)
    const fixed = fixedSizes[type]
    if (fixed !== undefined) {
      at = next + fixed
      continue
    }
    if (type !== 0 && type !== 2) return fields
    const read = varintAt(bytes, next)
    if (read === undefined) return fields
    const [value, after] = read
    if (type === 2) fields.push([field, bytes.subarray(after, after + Number(value))])
    else fields.push([field, value])
    at = type === 2 ? after + Number(value) : after
  }
  return fields
}

const textOf = (value: bigint | Uint8Array | undefined): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : ""

/** Field 1 of the answer is a message, whose field 1 is the count and whose field 2 is the reason. */
const ofProtobuf = (answer: Uint8Array): PartialSuccess | undefined => {
  const partial = fieldsOf(answer).find(([field]) => field === 1)?.[1]
  if (!(partial instanceof Uint8Array)) return undefined
  const fields = new Map(fieldsOf(partial))
  const count = fields.get(1)
  return { rejected: typeof count === "bigint" ? Number(BigInt.asIntN(64, count)) : 0, message: textOf(fields.get(2)) }
}

const ofJson = (text: string): PartialSuccess | undefined => {
  let answer: { readonly partialSuccess?: { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown } } | null
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    return undefined
  }
  const partial = answer?.partialSuccess
  if (partial === undefined || partial === null) return undefined
  const { rejectedSpans, errorMessage } = partial
  const rejected = Number(rejectedSpans ?? 0)
  return {
    rejected: Number.isFinite(rejected) ? rejected : 0,
    message: typeof errorMessage === "string" ? errorMessage : ""
  }
}

const brace = 0x7b

/** Undefined where the platform says nothing of it. JSON begins with a brace, which no answer in protobuf does. */
export const readPartialSuccess = (answer: Uint8Array): PartialSuccess | undefined => {
  const text = new TextDecoder().decode(answer).trimStart()
  return text.charCodeAt(0) === brace ? ofJson(text) : ofProtobuf(answer)
}

/**
 * An intake says how many spans it rejected and not which, and OTLP forbids to repeat the request. If it rejected all, its events are refused.
 * Otherwise the request counts as accepted, with the number that was rejected: repeating it in parts would be repeating it.
 */
export const judgeOtlp = (
  status: number,
  _body: string,
  { events, spans = events.length }: Pick<RenderedRequest, "events" | "spans">,
  answer: Uint8Array
): DeliveryVerdict => {
  const verdict = judgeStatus(status)
  if (verdict.kind !== "accepted") return verdict
  const partial = readPartialSuccess(answer)
  if (partial === undefined || partial.rejected <= 0) return verdict
  const rejected = Math.trunc(partial.rejected)
  const message = `The platform rejected ${rejected} of the spans.`
  return rejected >= spans && events.length > 0
    ? { kind: "partly", refused: events, message }
    : { kind: "accepted", rejected, message }
}
