/** `docs/internals/nouns.md` is what the code says, and each operation and port has all its files. `npm run reference` writes the page. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { readSchema } from "./internals/databaseNames.ts"
import { nouns } from "./internals/nouns.ts"
import { operationFiles } from "./internals/operationFiles.ts"
import { portFiles, withoutAdapter } from "./internals/portFiles.ts"
import { storeFiles } from "./internals/storeFiles.ts"

const file = fileURLToPath(new URL("../../../docs/internals/nouns.md", import.meta.url))

describe("the page of nouns", () => {
  it("is as the code has it", async () => {
    const rendered = await nouns()
    if (process.env["GATEWARDEN_WRITE_REFERENCE"] === "1") writeFileSync(file, rendered)
    else assert.strictEqual(readFileSync(file, "utf8"), rendered, "npm run reference writes it")
  })

  it("has the declaration, the handler, the cases and the command of every operation", async () => {
    const found = await operationFiles()
    assert.isAbove(found.length, 100)
    assert.deepEqual(
      found.filter(({ contract, cases, command }) => [contract, cases, command].includes(undefined)),
      []
    )
  })

  it("has the cases of an operation in the folder of its command", async () => {
    const found = await operationFiles()
    const apart = found.filter(
      ({ cases = "", command = "" }) => !`${posix.dirname(cases)}/`.startsWith(`${posix.dirname(command)}/`)
    )
    assert.deepEqual(apart, [])
  })

  it("has both adapters of every port", async () => {
    const ports = await portFiles()
    assert.isAbove(ports.length, 30)
    assert.deepEqual(withoutAdapter(ports), [])
  })

  it("has every table of the database, and every function but the one that switches row-level security", async () => {
    const listed = [...(await storeFiles(await portFiles())).values()]
    const { tables, functions } = await readSchema()
    assert.isAbove(tables.size, 50)
    assert.sameMembers([...new Set(listed.flatMap((store) => [...store.tables.keys()]))], [...tables.keys()])
    assert.sameMembers(
      [...new Set(listed.flatMap((store) => store.functions)), "row_level_security.sql"],
      [...functions.values()].map((source) => source.file)
    )
  })

  it("has every suite of a port, and a test in the folder of the same name that calls it", async () => {
    const ports = await portFiles()
    const suites = (await sourceFiles("conformance"))
      .map((source) => source.file)
      .filter((name) => /\/[A-Z]\w+\.suite\.ts$/.test(name))
    assert.isAbove(suites.length, 15)
    assert.sameMembers(
      ports.flatMap(({ suite, calledBy }) => (suite === undefined || calledBy.length === 0 ? [] : [suite])),
      suites
    )
  })

  it("has every port and every suite in the order of docs/stores.md", async () => {
    const page = readFileSync(new URL("../../../docs/stores.md", import.meta.url), "utf8")
    const order = page.split("\n").filter((line) => /^\| \d+ \|/.test(line))
    const names = (column: number): readonly string[] =>
      order.flatMap((line) => Array.from((line.split("|")[column] ?? "").matchAll(/`(\w+)`/g), ([, name = ""]) => name))
    assert.sameMembers(
      [...names(2)],
      (await portFiles()).map(({ port }) => port)
    )
    const suites = (await sourceFiles("conformance"))
      .filter((source) => /\/\w+\.suite\.ts$/.test(source.file))
      .flatMap(({ text }) =>
        Array.from(text.matchAll(/^export const (\w+(?:Suite|Agreement))\b/gm), ([, name = ""]) => name)
      )
    assert.includeMembers([...names(3)], suites)
  })
})
