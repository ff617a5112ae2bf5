/** What tenants write reaches the terminal of the operator, who must not be steered by it. */
import { assert, describe, it } from "@effect/vitest"
import { columns } from "../../node/src/cli/columns.ts"

describe("columns", () => {
  it("show a text as one line, without what steers a terminal or turns the order of what is read", () =>
    assert.strictEqual(
      columns([
        ["ID", "NAME"],
        ["1", "a\u001b]0;title\u0007\u009b31m\r\nFAKE\u2028ROW\u202e"],
        ["2\t", "Jürgen 🙂"]
      ]),
      ["ID  NAME", "1   a ]0;title 31m FAKE ROW ", "2   Jürgen 🙂"].join("\n")
    ))
})
