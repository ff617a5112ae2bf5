/** What the demonstration says, and how it shows it. */
import { assert, describe, it } from "@effect/vitest"
import { makeScreen } from "../../node/src/demo/Screen.ts"
import { verdict } from "../../node/src/demo/verdict.ts"

const claim = (holds: boolean) => ({ act: "", claim: holds ? "kept" : "broken", holds, seen: "" })

describe("the verdict", () => {
  it("is good when every claim holds, and there is one", () => {
    assert.strictEqual(verdict({ claims: [claim(true)], seconds: 1.4 }), "All 1 claims hold, in 1 s.")
    assert.strictEqual(
      verdict({ claims: [claim(true), claim(false)], seconds: 1 }),
      "1 of 2 claims do not hold: broken."
    )
    assert.match(verdict({ claims: [], seconds: 1 }), /do not hold/)
  })
})

describe("the screen", () => {
  const shown = (color: boolean) => {
    let text = ""
    const screen = makeScreen({ write: (more) => (text += more), color, width: 80, live: color })
    screen.act("A", "b")
    screen.claim("c", false, "d")
    return { text, claims: screen.claims() }
  }

  it("is plain but on a terminal, and keeps what was claimed", () => {
    const { text, claims } = shown(false)
    assert.strictEqual(text, "\nA\nb\n\n  ✗ c · d\n")
    assert.deepEqual(claims, [{ act: "A", claim: "c", holds: false, seen: "d" }])
    assert.include(shown(true).text, "\u001b[31m✗\u001b[0m")
  })

  it("paints what is good and what is bad, and replaces what it waits for on a terminal alone", () => {
    const told = (options: { readonly color: boolean; readonly live: boolean }) => {
      let text = ""
      const screen = makeScreen({ write: (more) => (text += more), width: 40, ...options })
      screen.table(
        ["", "overshoot"],
        [
          ["naive", { text: "$2.70", tone: "bad" }],
          ["ours", { text: "$0", tone: "good" }]
        ]
      )
      for (const left of [2, 1]) screen.progress(`${left} s left`)
      screen.say("done")
      return text
    }
    const plain = told({ color: false, live: false })
    assert.strictEqual(plain, "           overshoot\n    naive  $2.70\n    ours   $0\n    2 s left\n    done\n")
    const live = told({ color: true, live: true })
    assert.include(live, "\u001b[31m$2.70\u001b[0m")
    assert.include(live, "\u001b[32m$0\u001b[0m")
    assert.match(live, /2 s left[^\n]*\r +\r[^\n]*1 s left[^\n]*\r +\r {4}done\n$/)
  })
})
