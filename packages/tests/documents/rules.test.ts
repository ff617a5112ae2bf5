/**
 * The rules in `docs/rules`: every citation leads to one, every rule is in the index, and nothing is cited in another way.
 *
 * A comment cites a rule as page and anchor, several with commas between; a page of the documentation links to it.
 */
import { assert, describe, it } from "@effect/vitest"
import { readdir, readFile } from "node:fs/promises"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { anchorOf } from "./anchorOf.ts"
import { citedBy, joined } from "./citations.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const self = "packages/tests/documents/rules.test.ts"
const skipped = new Set(["node_modules", "dist", ".git", ".gatewarden", "package-lock.json"])
const isText = /\.(?:[cm]?[jt]sx?|json|md|sql|ya?ml|html)$/

const filesBelow = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(`${root}${folder}`, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter(({ name }) => !skipped.has(name))
      .map(async (entry) => {
        const path = posix.join(folder, entry.name)
        return entry.isDirectory() ? filesBelow(path) : isText.test(path) && path !== self ? [path] : []
      })
  )
  return found.flat()
}

interface Text {
  readonly file: string
  readonly text: string
}

const textsOf = async (files: readonly string[]): Promise<readonly Text[]> =>
  Promise.all(files.map(async (file) => ({ file, text: await readFile(`${root}${file}`, "utf8") })))

const rulesFolder = "docs/rules/"
const index = `${rulesFolder}README.md`

/** Every rule as `page#anchor`. */
const rulesOf = (texts: readonly Text[]): ReadonlySet<string> =>
  new Set(
    texts
      .filter(({ file }) => file.startsWith(rulesFolder) && file !== index)
      .flatMap(({ file, text }) =>
        Array.from(
          text.matchAll(/^## (.+)$/gm),
          ([, heading = ""]) => `${posix.basename(file, ".md")}#${anchorOf(heading)}`
        )
      )
  )

/** The rules that a page links to. */
const linkedBy = ({ file, text }: Text): readonly string[] =>
  Array.from(text.matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)).flatMap(([, to = "", anchor = ""]) => {
    if (/^[a-z]+:/.test(to)) return []
    const target = to === "" ? file : posix.join(posix.dirname(file), to)
    return target.startsWith(rulesFolder) && target !== index ? [`${posix.basename(target, ".md")}#${anchor}`] : []
  })

/** Ways in which rules were cited by documents that are not in the repository. */
const oldForms = [
  /\bdecisions?,? (?:\d|deliberate)/i,
  /\boperations? \d/i,
  /\bpublic API \d/i,
  /\bspecification\b/i,
  /\bdata\/[a-z-]+\.json/
]

/** A record of design is cited by its file. */
const withoutLinks = (text: string): string => text.replace(/\[[^\]]*\]\([^)]*\)/g, "")

const designRecords = /docs\/decisions\/\d[^\s`)"]*/g

const all = async () => textsOf(await filesBelow(""))

describe("rules", () => {
  it("are found wherever they are cited", async () => {
    const texts = await all()
    const rules = rulesOf(texts)
    assert.isAbove(rules.size, 100)
    const cited = texts.flatMap(({ file, text }) =>
      (file.endsWith(".md") ? linkedBy({ file, text }) : citedBy(text)).map((rule) => ({ file, rule }))
    )
    assert.isAbove(cited.length, 300)
    assert.deepEqual(
      cited.filter(({ rule }) => !rules.has(rule)).map(({ file, rule }) => `${file}: ${rule}`),
      []
    )
  })

  it("are all cited by code or tests, so that a search for a rule finds what fulfils it", async () => {
    const texts = await all()
    const code = texts.filter(({ file }) => file.startsWith("packages/") && !file.endsWith(".md"))
    const cited = new Set(code.flatMap(({ text }) => citedBy(text)))
    assert.deepEqual(
      [...rulesOf(texts)].filter((rule) => !cited.has(rule)),
      []
    )
  })

  it("are cited by page and anchor, and in no other way", async () => {
    const found = (await all()).flatMap(({ file, text }) =>
      oldForms.flatMap((form) => {
        const [old] = withoutLinks(joined(text)).match(form) ?? []
        return old === undefined ? [] : [`${file}: ${old}`]
      })
    )
    assert.deepEqual(found, [])
  })

  it("have names that differ within a page", async () => {
    for (const { file, text } of await all()) {
      if (!file.startsWith(rulesFolder)) continue
      const anchors = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => anchorOf(heading))
      assert.strictEqual(new Set(anchors).size, anchors.length, file)
    }
  })

  it("are all in the index, which lists nothing else", async () => {
    const texts = await all()
    const page = texts.find(({ file }) => file === index)
    assert.deepEqual([...linkedBy(page ?? { file: index, text: "" })].sort(), [...rulesOf(texts)].sort())
  })
})

describe("records of design", () => {
  it("are cited by a file that exists", async () => {
    const texts = await all()
    const files = new Set(texts.map(({ file }) => file))
    const cited = texts.flatMap(({ file, text }) =>
      (text.match(designRecords) ?? []).map((to) => ({ file, to: to.replace(/[.,;:]+$/, "").replace(/#.*$/, "") }))
    )
    assert.isNotEmpty(cited)
    assert.deepEqual(
      cited.filter(({ to }) => !files.has(to)).map(({ file, to }) => `${file}: ${to}`),
      []
    )
  })
})
