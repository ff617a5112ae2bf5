/** The pages of the repository: every link within it leads somewhere, and every page is reached from the README. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { backgroundJobs, defaultRetention, retained, retainedNames, retentionVariable } from "@gatewarden/core/internal"
import { printDuration } from "../../node/src/config/readDuration.ts"
import { anchorsOf } from "./anchorOf.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const pagesBelow = async (folder: string): Promise<readonly string[]> =>
  (await readdir(`${root}${folder}`, { recursive: true }))
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`)

const atRoot = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]

const readPage = async (page: string): Promise<string> =>
  (await readFile(`${root}${page}`, "utf8")).replace(/```[\s\S]*?```/g, "")

/** The files that a page links to, from the root; links to elsewhere and within the page are left out. */
const linksOf = async (page: string): Promise<readonly string[]> => {
  const text = (await readPage(page)).replace(/`[^`]*`/g, "")
  return Array.from(text.matchAll(/\]\(([^)#\s]+)/g), ([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(page), target))
}

/** The headings that a page links to, each with its page. */
const anchoredLinksOf = async (page: string): Promise<readonly { readonly to: string; readonly anchor: string }[]> =>
  Array.from((await readPage(page)).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g), ([, to = "", anchor = ""]) => ({
    to: to === "" ? page : posix.join(posix.dirname(page), to),
    anchor
  }))

/** The sources that a page names, from the root. Names in capitals stand for something. */
const sourcesIn = (text: string): readonly string[] =>
  Array.from(
    text.matchAll(
      /`(?:packages\/)?((?:(?:bench|client|conformance|contract|core|node|postgres|testkit)\/src|tests)\/[\w./-]+)`/g
    ),
    ([, path = ""]) => path
  ).filter((path) => !/[A-Z]{3,}|\.\.\./.test(path))

/** Cells of a row of a table; a bar in code or after a backslash ends none. */
const cellsOf = (row: string): number =>
  row
    .replace(/\\\||`[^`]*`/g, "")
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|").length

/** Delimiter rows without a header of as many columns, and rows with other cells than their delimiter row. */
const brokenRows = (page: string, text: string): readonly string[] => {
  const broken: string[] = []
  let before = ""
  let columns: number | undefined
  for (const line of text.split("\n")) {
    const row = line.startsWith("|")
    if (/^\|(?:\s*:?-{3,}:?\s*\|)+\s*$/.test(line)) {
      columns = cellsOf(line)
      if (!before.startsWith("|") || cellsOf(before) !== columns) broken.push(`${page}: ${line}`)
    } else if (!row) columns = undefined
    else if (columns !== undefined && cellsOf(line) !== columns) broken.push(`${page}: ${line}`)
    before = line
  }
  return broken
}

const exists = (path: string): Promise<boolean> =>
  readFile(`${root}${path}`).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "EISDIR"
  )

describe("pages", () => {
  it("link to what is there", async () => {
    const pages = [...atRoot, ...(await pagesBelow("docs")), ...(await pagesBelow("examples"))]
    assert.isAbove(pages.length, 20)
    const links = await Promise.all(pages.map(async (page) => (await linksOf(page)).map((to) => ({ page, to }))))
    const checked = await Promise.all(links.flat().map(async (link) => ({ ...link, leads: await exists(link.to) })))
    assert.isNotEmpty(checked)
    assert.deepEqual(
      checked.filter(({ leads }) => !leads).map(({ page, to }) => `${page} → ${to}`),
      []
    )
  })

  it("link to headings that are there", async () => {
    const pages = [...atRoot, ...(await pagesBelow("docs"))]
    const anchors = new Map(
      await Promise.all(
        pages.map(
          async (page) =>
            [page, new Set(anchorsOf(await readFile(`${root}${page}`, "utf8")).map(([, anchor]) => anchor))] as const
        )
      )
    )
    const links = await Promise.all(
      pages.map(async (page) => (await anchoredLinksOf(page)).map((to) => ({ page, ...to })))
    )
    const checked = links.flat().filter(({ to }) => anchors.has(to))
    assert.isAbove(checked.length, 100)
    assert.deepEqual(
      checked
        .filter(({ to, anchor }) => !anchors.get(to)?.has(anchor))
        .map(({ page, to, anchor }) => `${page} → ${to}#${anchor}`),
      []
    )
  })

  // A delimiter row below an empty line, or with other columns than its header, is no table: readers see its source.
  it("have a header above every table, and as many cells in every row", async () => {
    const pages = [...atRoot, ...(await pagesBelow("docs")), ...(await pagesBelow("examples"))]
    const tables = (await Promise.all(pages.map(async (page) => brokenRows(page, await readPage(page))))).flat()
    assert.deepEqual(tables, [])
    assert.deepEqual(brokenRows("a.md", "| a | b |\n\n|---|---|\n| 1 | 2 |"), ["a.md: |---|---|"])
    assert.deepEqual(brokenRows("a.md", "| a | b |\n|---|\n| 1 | 2 |"), ["a.md: |---|", "a.md: | 1 | 2 |"])
    assert.deepEqual(brokenRows("a.md", "| a | `b|c` |\n|---|:--|\n| 1 | 2 \\| 3 |"), [])
  })

  it("name sources that exist", async () => {
    const missing: string[] = []
    for (const page of [...atRoot, ...(await pagesBelow("docs"))])
      for (const path of sourcesIn(await readPage(page)))
        if (!existsSync(`${root}packages/${path}`)) missing.push(`${page}: ${path}`)
    assert.deepEqual(missing, [])
    assert.deepEqual(sourcesIn("in `core/src/key/key.ts` and `packages/tests/key/`, not `contract/src/NOUN.ts`"), [
      "core/src/key/key.ts",
      "tests/key/"
    ])
  })

  it("are all reached from the README", async () => {
    const pages = [...atRoot, ...(await pagesBelow("docs"))]
    const reached = new Set<string>(["README.md"])
    const follow = async (page: string): Promise<void> => {
      for (const to of await linksOf(page))
        if (pages.includes(to) && !reached.has(to)) {
          reached.add(to)
          await follow(to)
        }
    }
    await follow("README.md")
    assert.deepEqual(
      pages.filter((page) => !reached.has(page)),
      []
    )
  })
})

/** The cells of the rows of a page that begin with this cell, in code. */
const rowsOf = async (page: string, begins: RegExp): Promise<readonly (readonly string[])[]> =>
  (await readFile(`${root}${page}`, "utf8"))
    .split("\n")
    .filter((line) => begins.test(line))
    .map((line) => line.split("|").map((cell) => cell.replaceAll("`", "").trim()))

describe("docs/operating/retention.md", () => {
  it("names the variable, the default and the least of everything that is deleted", async () => {
    const rows = await rowsOf("docs/operating/retention.md", /^\|.*`GATEWARDEN_KEEP_/)
    assert.deepEqual(
      rows.map(([, , variable, defaults, least]) => [variable, defaults, least]).sort(),
      retainedNames
        .map((name) => {
          const { default_seconds, min_seconds } = retained[name]
          return [retentionVariable(name), printDuration(default_seconds), printDuration(min_seconds)]
        })
        .sort()
    )
  })

  it("names every background job that is no row of it, and how often it is due", async () => {
    const swept = new Set<string>(retainedNames)
    const jobs = backgroundJobs(defaultRetention).filter(({ name }) => !swept.has(name))
    const rows = await rowsOf("docs/operating/retention.md", /^\| `[a-z_]+` \| \d+ (?:s|min|h) \|/)
    const units = { s: 1, min: 60, h: 3_600 }
    assert.deepEqual(
      rows
        .map(([, name, every = ""]) => {
          const [count, unit] = every.split(" ")
          return [name, Number(count) * units[unit as keyof typeof units]]
        })
        .sort(),
      jobs.map(({ name, every }) => [name, every]).sort()
    )
  })
})
