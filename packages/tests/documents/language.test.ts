import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const script = fileURLToPath(new URL("../lint/language.js", import.meta.url))
const root = mkdtempSync(join(tmpdir(), "gatewarden-language-"))

afterAll(() => rmSync(root, { recursive: true, force: true }))

const block = "```sh\ntrue\n```\n\n"
/** A page that holds every budget. */
const plain = `# Keys\n\nYou create a key. Your gateway sends it.\n\n${block}`
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ")

/** Puts one page into an empty folder, and measures it. */
const lint = (page: string, text: string) => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(dirname(join(root, page)), { recursive: true })
  mkdirSync(join(root, "docs"), { recursive: true })
  writeFileSync(join(root, "README.md"), plain)
  writeFileSync(join(root, page), text)
  const { status, stderr } = spawnSync(process.execPath, [script], {
    env: { ...process.env, LANGUAGE_ROOT: `${root}/` },
    encoding: "utf8"
  })
  return { status, stderr }
}

describe("the language of the documents", () => {
  it("takes plain pages of every kind", () => {
    for (const page of ["docs/guides/keys.md", "docs/rules/keys.md", "docs/decisions/keys.md"])
      expect(lint(page, plain)).toEqual({ status: 0, stderr: "" })
  })

  it.each([
    ["docs/guides/keys.md", `${plain}You see what fails and who did it.\n`, "clauses in 1,000 words, at most 3"],
    ["docs/guides/keys.md", `${plain}You cannot lose it.\n`, "negations in 1,000 words, at most 12"],
    ["docs/guides/keys.md", `# Keys\n\nThe server creates a key.\n\n${block}`, "you in 1,000 words, at least 10"],
    ["docs/guides/keys.md", "# Keys\n\nYou create a key.\n", "blocks in 1,000 words, at least 10"],
    ["docs/guides/keys.md", `${plain}You send ${words(29)}.\n`, "31 words in one sentence, at most 30"],
    ["docs/guides/keys.md", `${plain}You look at your key.\n`, "write check, or read"],
    ["docs/rules/keys.md", `The server says what it did.\n`, "clauses in 1,000 words, at most 6"],
    ["docs/rules/keys.md", `The server does not answer.\n`, "negations in 1,000 words, at most 20"],
    ["docs/rules/keys.md", `The server sends ${words(28)}.\n`, "31 words in one sentence, at most 30"],
    ["docs/decisions/keys.md", `We send ${words(39)}.\n`, "41 words in one sentence, at most 40"]
  ])("refuses in %s: %j", (page, text, fault) => {
    const { status, stderr } = lint(page, text)
    expect(stderr).toContain(fault)
    expect(status).toBe(1)
  })

  it("counts code as one word, and leaves tables, headings and comments out", () => {
    const long = words(40)
    const page = `${plain}## What ${long}\n\n| ${long} |\n\n<!-- ${long} -->\n\nYou run \`${long}\`.\n`
    expect(lint("docs/guides/keys.md", page)).toEqual({ status: 0, stderr: "" })
  })
})
