/** Patterns in the RE2 syntax, and texts in which they find something: few letters, and every kind of odd character. */
import * as fc from "fast-check"

const atom = fc.constantFrom(
  ..."a b x 1 é 😀 . \\d \\w \\s \\b \\B \\A \\z ^ $ [a-c] [^a] (?i:A) (?s:.) (?m:^b) (?m:x$) \\pL \\W [[:alpha:]] \\x61 \\Qa.\\E k ſ".split(
    " "
  )
)

export const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("node"), tie("node")).map((both) => both.join("")),
    fc.tuple(tie("node"), tie("node")).map((both) => `(?:${both.join("|")})`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "*?", "+?", "{1,3}", "{2}"))
      .map(([node, many]) => `(?:${node})${many}`),
    tie("node").map((node) => `(${node})`)
  )
})).node

export const sampleText = fc
  .array(fc.constantFrom(..."a A b B x 1 2 é É 😀 k K \u212a ſ s \ud800 \udc00 \n . _".split(" "), " ", "\n"), {
    maxLength: 40
  })
  .map((all) => all.join(""))
