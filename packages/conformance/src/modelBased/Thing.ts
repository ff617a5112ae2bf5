/** What a run has met so far, and words by which a call that is not yet made may refer to it. */
import * as fc from "fast-check"
import { RawJson } from "../arbitraries/RawJson.ts"

/** What answers give that later calls can name. */
export type Kind =
  | "account"
  | "workspace"
  | "guardrail"
  | "key"
  | "managementKey"
  | "byok"
  | "alert_channel"
  | "destination"
  | "federation_policy"
  | "code"
  | "preset"
  | "private_endpoint"
  | "private_provider"
  | "file"
  | "model"
  | "event"
  | "admission"
  | "user"
  | "directoryUser"
  | "directoryGroup"
  | "mapping"
  | "syncJob"
  | "erasure"
  | "etag"

export type Thing = Readonly<Record<string, unknown>>

/** Everything that was met, and by which of the two accounts. */
export type Things = ReadonlyMap<Kind, readonly { readonly account: 0 | 1; readonly thing: Thing }[]>

/** When and for whom words are resolved. */
export interface Occasion {
  readonly things: Things
  readonly account: 0 | 1
  readonly now: number
}

/** A field of something met before, chosen when the call is made. */
export class Reference {
  readonly kind: Kind
  readonly field: string
  readonly pick: number

  constructor(kind: Kind, field: string, pick: number) {
    this.kind = kind
    this.field = field
    this.pick = pick
  }
}

/** An instant relative to the moment of the call. */
export class Moment {
  readonly offsetMillis: number
  readonly print: (millis: number) => string

  constructor(offsetMillis: number, print: (millis: number) => string) {
    this.offsetMillis = offsetMillis
    this.print = print
  }
}

/** A text with words in it. */
export class Phrase {
  readonly parts: readonly unknown[]

  constructor(parts: readonly unknown[]) {
    this.parts = parts
  }
}

/** Texts and words, one after the other. */
export const phrase = (...parts: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<Phrase> =>
  fc.tuple(...parts).map((all) => new Phrase(all))

/** What nobody has. */
export const nobody = "00000000-0000-4000-8000-000000000000"

/** A field of anything of a kind that was met before, be it deleted or, rarely, foreign; `nobody` while there is none. */
export const some = (kind: Kind, field = "id"): fc.Arbitrary<Reference> =>
  fc.nat({ max: 63 }).map((pick) => new Reference(kind, field, pick))

/** Several fields of one and the same thing. */
export const sameThing = (
  kind: Kind,
  fields: Readonly<Record<string, string>>
): fc.Arbitrary<Record<string, Reference>> =>
  fc
    .nat({ max: 63 })
    .map((pick) =>
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, new Reference(kind, field, pick)]))
    )

const isoMillis = (millis: number): string => new Date(millis).toISOString()
const isoSeconds = (millis: number): string => `${isoMillis(millis).slice(0, 19)}Z`
const isoDay = (millis: number): string => isoMillis(millis).slice(0, 10)

/** An instant between two offsets from the moment of the call, in milliseconds. */
export const moment = (earliest: number, latest: number): fc.Arbitrary<Moment> =>
  fc
    .tuple(
      fc.oneof(fc.integer({ min: earliest, max: latest }), fc.constantFrom(earliest, latest)),
      fc.constantFrom(isoMillis, isoSeconds)
    )
    .map(([offset, print]) => new Moment(offset, print))

/** A UTC day between two offsets from today. */
export const calendarDay = (earliest: number, latest: number): fc.Arbitrary<Moment> =>
  fc.integer({ min: earliest, max: latest }).map((days) => new Moment(days * 86_400_000, isoDay))

/** One in so many references may name what belongs to the other account. */
const foreignEvery = 8

const referred = ({ kind, field, pick }: Reference, { things, account }: Occasion): unknown => {
  const known = things.get(kind) ?? []
  const own = known.filter((one) => one.account === account)
  const candidates = own.length === 0 || pick % foreignEvery === foreignEvery - 1 ? known : own
  return candidates.length === 0 ? nobody : candidates[pick % candidates.length]?.thing[field]
}

/** The value with every word in it replaced by what it means now. */
export const resolve = (value: unknown, occasion: Occasion): unknown => {
  if (value instanceof Reference) return referred(value, occasion)
  if (value instanceof Phrase) return value.parts.map((part) => String(resolve(part, occasion))).join("")
  if (value instanceof Moment) return value.print(occasion.now + value.offsetMillis)
  if (Array.isArray(value)) return value.map((item) => resolve(item, occasion))
  if (typeof value !== "object" || value === null || value instanceof RawJson || value instanceof FormData) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member, occasion)]))
}
