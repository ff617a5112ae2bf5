/** Citations of rules: a comment cites a rule as page and anchor, several with commas between. */

/** A comment goes on in the next line; what is cited may, too. */
export const joined = (text: string): string => text.replace(/\n[ \t]*(?:\*|\/\/)?[ \t]*(?=\S)/g, " ")

const citation = /[a-z][a-z-]*#[a-z0-9-]+/
const citations = new RegExp(`\\bRules?:\\s*((?:${citation.source}(?:,\\s+)?)*)`, "g")

/** The rules that a file of code cites; "" stands for a citation without one. */
export const citedBy = (text: string): readonly string[] =>
  Array.from(joined(text).matchAll(citations)).flatMap(([, list = ""]) => {
    const cited = list.match(new RegExp(citation.source, "g"))
    return cited === null ? [""] : [...cited]
  })
