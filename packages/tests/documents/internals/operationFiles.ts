/** The files of each operation, from its declaration, the table of handlers, its cases and its command. */
import { operations } from "@gatewarden/contract"
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { type SourceFile, sourceFiles } from "@gatewarden/testkit/sourceFiles"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** The files of one operation, each below `src` of its package. `undefined` if there is none. */
export interface OperationFiles {
  readonly id: string
  readonly contract: string | undefined
  readonly core: string | undefined
  readonly cases: string | undefined
  readonly command: string | undefined
}

/** The ids that a pattern finds in the sources of a package, each with its file. */
const filesById = async (name: string, found: RegExp): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await sourceFiles(name)).flatMap(({ file, text }) =>
      Array.from(text.matchAll(found), ([, id = ""]) => [id, file.slice(`${name}/src/`.length)] as const)
    )
  )

/** Tells in which file of `core/src` an operation is answered, from its row in `handlers.ts`. */
const answeredIn = (): ((id: string) => string) => {
  const handlers = readFileSync(`${root}packages/core/src/http/handlers.ts`, "utf8")
  const imported = new Map(
    Array.from(handlers.matchAll(/^import \{([^}]+)\} from "\.\.\/([^"]+)"/gm)).flatMap(([, names = "", file = ""]) =>
      Array.from(names.matchAll(/\w+/g), ([name]): readonly [string, string] => [name, file])
    )
  )
  return (id) => {
    const [, body = ""] = new RegExp(`^  ${id}: ([\\s\\S]*?)(?=^  \\w+: |^\\})`, "m").exec(handlers) ?? []
    const names = [...imported.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    return imported.get(names.find((name) => name === id) ?? names.at(-1) ?? "") ?? "http/handlers.ts"
  }
}

/** Tells which file has the cases of an operation: its own, or one that it shares with others. */
const testedIn = (conformance: readonly SourceFile[]): ((id: string) => string | undefined) => {
  const cases = conformance.filter(({ file }) => file.endsWith(".cases.ts"))
  const ids: readonly string[] = operations.map(({ id }) => id)
  const shared = cases.filter(({ file }) => !ids.includes(posix.basename(file, ".cases.ts")))
  return (id) => {
    const own = cases.find(({ file }) => posix.basename(file, ".cases.ts") === id)
    return (own ?? shared.find(({ text }) => text.includes(`"${id}"`)))?.file.slice("conformance/src/".length)
  }
}

export const operationFiles = async (): Promise<readonly OperationFiles[]> => {
  const declared = await filesById("contract", /\boperation\(\{\s*id: "(\w+)"/g)
  const commanded = await filesById("conformance", /\bcommand\("(\w+)"/g)
  const answered = answeredIn()
  const tested = testedIn(await sourceFiles("conformance"))
  return operations.map(({ id }) => ({
    id,
    contract: declared.get(id),
    core: answered(id),
    cases: tested(id),
    command: commanded.get(id)
  }))
}
