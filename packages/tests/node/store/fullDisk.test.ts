/** What a full disk means to a supervisor: try again later. */
import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import { directoryFailure, sqlFailure } from "../../../node/src/store/openStore.ts"

const failure = (code: string) => Object.assign(new Error(code), { code })

const fromDatabase = (cause: Error) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message: "failed", operation: "connect" }) })

describe("a start on a full disk", () => {
  it("ends with 75 and says so, whoever met it", () => {
    for (const code of ["ENOSPC", "EDQUOT"]) {
      const { exitCode, lines } = directoryFailure("/data")(failure(code))
      assert.strictEqual(exitCode, 75)
      assert.match(lines.join("\n"), /^The disk of the data directory \/data is full: make room/)
    }
    for (const code of ["ENOSPC", "53100"]) assert.strictEqual(sqlFailure(fromDatabase(failure(code))).exitCode, 75)
  })

  it("is no other failure", () => {
    assert.strictEqual(directoryFailure("/data")(failure("EACCES")).exitCode, 78)
    assert.strictEqual(sqlFailure(fromDatabase(failure("ECONNREFUSED"))).exitCode, 69)
  })
})
