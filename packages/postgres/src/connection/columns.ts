/**
 * Columns as `@effect/sql-pg` gives them, from the text that a host's driver receives: `timestamptz` as Date, `int8` as
 * bigint, `numeric` as string, `jsonb` parsed, `bytea` as bytes, arrays of these. Everything else stays text.
 */
import { PgTypes } from "@effect/sql-pg"

type Parse = (text: string) => unknown

/** What the server wrote is not what its settings promise. */
export class ColumnUnreadable extends Error {}

const instant =
  /^(\d{4,6})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?( BC)?$/

const date: Parse = (text) => {
  const match = instant.exec(text)
  if (match === null) throw new ColumnUnreadable("a timestamp is not in ISO style")
  const [, year, month, day, hour, minute, second, fraction = "", sign, ...rest] = match
  const [zone, era] = [rest.slice(0, 3), rest[3]]
  const [hours = 0, minutes = 0, seconds = 0] = zone.map((part) => Number(part ?? 0))
  const offset = (hours * 3600 + minutes * 60 + seconds) * (sign === "-" ? -1000 : 1000)
  const read = new Date(0)
  // The year before the first is 0 here.
  read.setUTCFullYear(era === undefined ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day))
  read.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0").slice(0, 3)))
  return new Date(read.getTime() - offset)
}

const bytes: Parse = (text) => {
  if (!text.startsWith("\\x")) throw new ColumnUnreadable("bytes are not in hexadecimal")
  return new Uint8Array(Buffer.from(text.slice(2), "hex"))
}

const { OID } = PgTypes

const scalars: readonly (readonly [oid: number, parse: Parse])[] = [
  [OID.bool, (text) => text === "t"],
  [OID.int2, Number],
  [OID.int4, Number],
  [OID.int8, BigInt],
  [OID.oid, Number],
  [OID.float4, Number],
  [OID.float8, Number],
  [OID.numeric, String],
  [OID.text, String],
  [OID.varchar, String],
  [OID.uuid, String],
  [OID.json, JSON.parse],
  [OID.jsonb, JSON.parse],
  [OID.bytea, bytes],
  [OID.date, String],
  [OID.timestamp, date],
  [OID.timestamptz, date]
]

const token = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs

/** One-dimensional arrays, the only ones there are here. */
const arrayOf =
  (parse: Parse): Parse =>
  (text) =>
    Array.from(text.matchAll(token), ([, quoted, plain]) => {
      if (quoted !== undefined) return parse(quoted.replace(/\\(.)/gs, "$1"))
      return plain === undefined || plain === "NULL" ? null : parse(plain)
    })

const parsers = new Map<number, Parse>(
  scalars.flatMap(([oid, parse]) => {
    const array = PgTypes.arrayOidFor(oid)
    return array === undefined
      ? [[oid, parse]]
      : [
          [oid, parse],
          [array, arrayOf(parse)]
        ]
  })
)

/** For the `types` of each query, which leave the host's parsers alone. */
export const columnTypes = { getTypeParser: (oid: number): Parse => parsers.get(oid) ?? String }
