import { assert, describe, it } from "@effect/vitest"
import { ColumnUnreadable, columnTypes } from "../../postgres/src/connection/columns.ts"
import { bound, placeholder } from "../../postgres/src/connection/parameters.ts"
import { endsConnection, sqlFailure } from "../../postgres/src/connection/sqlFailure.ts"

const ofServer = (code: string, severity = "ERROR", more = {}) =>
  Object.assign(new Error("said by the server"), { code, severity, ...more })

describe("an error of a host's driver", () => {
  it.each([
    ["08006", "ConnectionError"],
    ["28P01", "AuthenticationError"],
    ["42501", "AuthorizationError"],
    ["42P01", "SqlSyntaxError"],
    ["23505", "UniqueViolation"],
    ["23503", "ConstraintError"],
    ["40P01", "DeadlockError"],
    ["40001", "SerializationError"],
    ["55P03", "LockTimeoutError"],
    ["57014", "StatementTimeoutError"],
    ["22012", "UnknownError"]
  ] as const)("%s is a %s, and the connection goes on", (code, tag) => {
    const cause = ofServer(code)
    const { reason } = sqlFailure(cause, "query")
    assert.deepInclude({ ...reason }, { _tag: tag, operation: "query" })
    assert.strictEqual(reason.cause, cause)
    assert.isFalse(endsConnection(cause))
  })

  it("keeps the name of the constraint", () => {
    const { reason } = sqlFailure(ofServer("23505", "ERROR", { constraint: "slug_is_free" }), "query")
    assert.deepInclude({ ...reason }, { constraint: "slug_is_free" })
  })

  it("that the server did not say befell the connection: before the statement was sent, or nobody knows when", () => {
    const cases = [
      [new Error("Connection terminated unexpectedly"), "query"],
      [Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }), "query"],
      [new Error("Client has encountered a connection error and is not queryable"), "connect"],
      ["thrown text", "query"]
    ] as const
    for (const [cause, operation] of cases) {
      assert.deepInclude({ ...sqlFailure(cause, "query").reason }, { _tag: "ConnectionError", operation })
      assert.isTrue(endsConnection(cause))
    }
    assert.isTrue(endsConnection(ofServer("57P01", "FATAL")))
  })

  it("of our own reading leaves the connection alone", () => {
    const cause = new ColumnUnreadable("x")
    assert.strictEqual(sqlFailure(cause, "query").reason._tag, "UnknownError")
    assert.isFalse(endsConnection(cause))
  })
})

describe("columns as text", () => {
  const read = (oid: number, text: string) => columnTypes.getTypeParser(oid)(text)

  it("reads instants of any zone", () => {
    const instants = [
      ["2026-03-04 05:00:00.5-07", "2026-03-04T12:00:00.500Z"],
      ["2026-03-04 17:45:00.123999+05:45", "2026-03-04T12:00:00.123Z"],
      ["1880-01-01 00:00:00+05:41:16", "1879-12-31T18:18:44.000Z"],
      ["0099-12-31 00:00:00+00", "0099-12-31T00:00:00.000Z"],
      ["0001-02-29 05:41:16.25+05:41:16 BC", "0000-02-29T00:00:00.250Z"]
    ] as const
    for (const [text, instant] of instants) assert.deepEqual(read(1184, text), new Date(instant))
    for (const text of ["04.03.2026 12:00:00 UTC", "infinity", "2026-03-04"])
      assert.throws(() => read(1184, text), ColumnUnreadable)
  })

  it("reads bytes, arrays and what it does not know", () => {
    assert.deepEqual(read(17, "\\x00ff"), new Uint8Array([0, 255]))
    assert.throws(() => read(17, "\\000"), ColumnUnreadable)
    assert.deepEqual(read(1016, "{1,NULL,-9223372036854775808}"), [1n, null, -9223372036854775808n])
    assert.deepEqual(read(1009, '{"NULL",NULL,"a \\"b\\" \\\\","",{}'), ["NULL", null, 'a "b" \\', ""])
    assert.deepEqual(read(1009, "{}"), [])
    assert.strictEqual(read(600, "(1,2)"), "(1,2)")
  })
})

it("parameters name their types, and are sent as text", () => {
  const cases = [
    ["text", "$1", "text"],
    [null, "$1", null],
    [1, "$1::int4", "1"],
    [2 ** 31, "$1::int8", "2147483648"],
    [0.5, "$1::float8", "0.5"],
    [5n, "$1::int8", "5"],
    [true, "$1::bool", "true"],
    [new Date(0), "$1::timestamptz", "1970-01-01T00:00:00.000Z"],
    [new Date("0000-02-29T00:00:00Z"), "$1::timestamptz", "0001-02-29T00:00:00.000Z BC"],
    [new Date("-000001-12-27T00:00:00Z"), "$1::timestamptz", "0002-12-27T00:00:00.000Z BC"],
    [new Date("+010000-01-01T00:00:00Z"), "$1::timestamptz", "10000-01-01T00:00:00.000Z"],
    [[null, 1n], "$1::int8[]", "{NULL,1}"],
    [["a,b", 'c"'], "$1::text[]", '{"a,b","c\\""}'],
    [[new Uint8Array([1])], "$1::bytea[]", '{"\\\\x01"}'],
    [[], "$1", "{}"]
  ] as const
  for (const [value, place, sent] of cases) {
    assert.strictEqual(placeholder(1, value), place)
    assert.strictEqual(bound(value), sent)
  }
  const bytes = new Uint8Array([1])
  assert.strictEqual(placeholder(1, bytes), "$1::bytea")
  assert.strictEqual(bound(bytes), bytes)
  assert.throws(() => bound({}), TypeError)
})
