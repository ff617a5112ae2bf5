/**
 * The files of each noun. A noun is a file of the contract that declares operations, or else a folder of `core/src` or `node/src`.
 *
 * A file belongs to a noun if it lies in the noun's folder, or if it cites a rule of the noun: one that the contract or the comment of an
 * operation cites, or one of a page with the noun's name that no other noun cites. A rule of all nouns, such as `requests#lists`, is of
 * none.
 */
import { readdir, readFile } from "node:fs/promises"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { type SourceFile, sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { citedBy as readCitations } from "../citations.ts"
import type { OperationFiles } from "./operationFiles.ts"
import type { PortFiles } from "./portFiles.ts"

export interface NounFiles {
  readonly name: string
  readonly rules: readonly string[]
  /** The package of `folder` and `files`. */
  readonly home: "core" | "node"
  /** Below `contract/src`; `undefined`: the noun has no operation. */
  readonly contract: string | undefined
  readonly operations: readonly OperationFiles[]
  /** Below `src` of the package: beside the files of the operations. */
  readonly files: readonly string[]
  readonly ports: readonly string[]
  /** Below `packages/`: files of other packages that cite a rule of the noun. */
  readonly elsewhere: readonly string[]
  /** Below `conformance/src`: suites of ports that hardly another noun calls. */
  readonly suites: readonly string[]
  /** Below `packages/tests`. */
  readonly tests: readonly string[]
  /** Folders below `packages/tests` that the noun shares, with the number of their other tests. */
  readonly sharedTests: ReadonlyMap<string, number>
}

const citations = new Map<string, readonly string[]>()

/** A text is read once, and asked about for each noun. */
const citedBy = (text: string): readonly string[] => {
  const known = citations.get(text) ?? readCitations(text)
  citations.set(text, known)
  return known
}

interface Sources {
  readonly contract: readonly SourceFile[]
  readonly core: readonly SourceFile[]
  readonly others: readonly SourceFile[]
  readonly tests: readonly SourceFile[]
  readonly node: readonly SourceFile[]
  readonly ports: ReadonlyMap<string, PortFiles>
  readonly operations: readonly OperationFiles[]
}

const packages = fileURLToPath(new URL("../../../", import.meta.url))

/** The files below a folder of `packages/` that a pattern accepts, with their names below that folder. */
const filesIn = async (folder: string, accepted: RegExp): Promise<readonly SourceFile[]> => {
  const files = (await readdir(`${packages}${folder}`, { recursive: true })).map((file) => file.replaceAll("\\", "/"))
  const own = files.filter((file) => accepted.test(file) && !/(?:^|\/)(?:node_modules|dist)\//.test(file)).sort()
  return Promise.all(own.map(async (file) => ({ file, text: await readFile(`${packages}${folder}/${file}`, "utf8") })))
}

const below = (prefix: string, sources: readonly SourceFile[]): readonly SourceFile[] =>
  sources.map(({ file, text }) => ({ file: file.slice(prefix.length), text }))

const readSources = async (operations: readonly OperationFiles[], ports: readonly PortFiles[]): Promise<Sources> => {
  const sql = (await filesIn("postgres/src", /\.sql$/)).map(({ file, text }) => ({
    file: `postgres/src/${file}`,
    text
  }))
  const others = [...(await sourceFiles("contract", "postgres", "node")), ...sql]
  return {
    contract: below("contract/src/", await sourceFiles("contract")),
    core: below("core/src/", await sourceFiles("core")),
    others: others.filter(({ file }) => !/^postgres\/src\/(?:adapters|embedded)\//.test(file)),
    tests: (await filesIn("tests", /\.test\.ts$/)).filter(({ file }) => !file.startsWith("documents/")),
    node: below("node/src/", await sourceFiles("node")),
    ports: new Map(ports.map((each) => [each.port, each])),
    operations
  }
}

const unique = <T>(items: Iterable<T>): readonly T[] => [...new Set(items)]

/** Rules of these pages are about all operations. */
const isGeneral = (rule: string): boolean => /^(?:|requests#.*|errors#.*)$/.test(rule)

const pageOf = (rule: string): string => rule.slice(0, rule.indexOf("#"))

/** A rule that so many files of the contract cite belongs to none of them, unless a file cites it first. */
const fewFiles = 2

const rulesOfContract = ({ contract }: Sources, text: string): readonly string[] => {
  const cited = unique(citedBy(text))
  const own = cited.filter(
    (rule, at) =>
      !isGeneral(rule) &&
      (at === 0 || contract.filter((other) => citedBy(other.text).includes(rule)).length <= fewFiles)
  )
  return own.length > 0 ? own : cited.slice(0, 1)
}

/** The rules that the comment above an operation cites. */
const rulesOfOperation = ({ core }: Sources, { id, core: file }: OperationFiles): readonly string[] => {
  const { text } = core.find((source) => source.file === file) ?? { text: "" }
  const at = text.indexOf(`= operation("${id}")`)
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\nexport const \w+ $/.exec(text.slice(0, Math.max(at, 0)))?.[0] ?? ""
  return citedBy(comment)
}

const compact = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase()

const numbers = (name: string): readonly string[] => [name, `${name}s`, name.replace(/y$/, "ies")]

const isNamed = (name: string, noun: string): boolean => numbers(compact(noun)).includes(compact(name))

const nameOf = (file: string): string => posix.basename(file, ".ts")

const words = (file: string): string => nameOf(file).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** The rules of each file of the contract that declares operations. */
const rulesByContract = (sources: Sources): ReadonlyMap<string, readonly string[]> => {
  const cited = new Map<string, readonly string[]>()
  for (const contract of unique(sources.operations.map((operation) => operation.contract ?? ""))) {
    const { text } = sources.contract.find(({ file }) => file === contract) ?? { text: "" }
    const declared = rulesOfContract(sources, text)
    const pages = new Set(declared.map(pageOf))
    const told = sources.operations
      .filter((operation) => operation.contract === contract)
      .flatMap((operation) => rulesOfOperation(sources, operation))
      .filter((rule) => !isGeneral(rule) && pages.has(pageOf(rule)))
    cited.set(contract, unique([...declared, ...told]))
  }
  const claimed = new Set([...cited.values()].flat())
  const free = unique([...sources.core, ...sources.others].flatMap(({ text }) => citedBy(text))).filter(
    (rule) => !isGeneral(rule) && !claimed.has(rule)
  )
  return new Map(
    [...cited].map(([contract, rules]) => {
      const unclaimed = free.filter((rule) => isNamed(pageOf(rule), nameOf(contract)))
      return [contract, [...rules, ...unclaimed.toSorted()]]
    })
  )
}

const cites = (rules: readonly string[]) => {
  const own = new Set(rules)
  return ({ text }: SourceFile): boolean => citedBy(text).some((rule) => own.has(rule))
}

/** The ports that files of core call, from their imports. */
const portsIn = ({ ports, core }: Sources, files: readonly string[]): readonly string[] => {
  const texts = core.filter(({ file }) => files.includes(file)).map(({ text }) => text)
  const imports = texts.flatMap((text) =>
    Array.from(text.matchAll(/^import \{([^}]+)\} from "(?:\.\.\/)+ports\/[^"]+"/gm), ([, names = ""]) =>
      names.split(",")
    )
  )
  const names = imports.flat().map((name) => name.trim())
  return unique(names.filter((name) => ports.has(name))).toSorted()
}

const folderOf = (file: string): string => posix.dirname(file)

const topOf = (file: string): string => file.split("/")[0] ?? ""

/** The folder that most of the operations lie in. `http` answers for nouns that have none. */
const mainFolder = (operations: readonly OperationFiles[]): string | undefined => {
  const folders = operations.map(({ core = "" }) => folderOf(core)).filter((folder) => folder !== "http")
  const count = (folder: string) => folders.filter((other) => other === folder).length
  return unique(folders).toSorted((a, b) => count(b) - count(a))[0]
}

/** Files of core that belong to no noun: doors, and the folders of ports. */
const isApart = (file: string): boolean => !file.includes("/") || /^(?:ports|memory)\//.test(file)

/** A port with more callers is not a noun's own. */
const fewCallers = 3

interface Tested {
  readonly folders: readonly string[]
  readonly noun: string
  readonly names: readonly string[]
  /** As an import ends. */
  readonly imported: readonly string[]
  readonly rules: readonly string[]
  readonly ports: readonly string[]
}

/** Tests in a folder of the noun's name, tests that have the name, tests that import its files or cite its rules, and tests of its ports. */
const testsOf = (
  { tests, ports }: Sources,
  { folders, noun, names, imported, rules, ports: called }: Tested
): Pick<NounFiles, "suites" | "tests" | "sharedTests"> => {
  const named = new Set(names.flatMap((name) => numbers(compact(name))))
  const isCited = cites(rules)
  const own = called.flatMap((port) => ports.get(port) ?? []).filter(({ usedBy }) => usedBy.length <= fewCallers)
  const ofPorts = new Set(own.flatMap((port) => port.tests))
  const files = tests
    .filter(
      (test) =>
        folders.some((folder) => isNamed(folder, noun) && test.file.startsWith(`${folder}/`)) ||
        named.has(compact(posix.basename(test.file).split(".")[0] ?? "")) ||
        imported.some((file) => test.text.includes(file)) ||
        ofPorts.has(test.file) ||
        isCited(test)
    )
    .map(({ file }) => file)
  const isOther = (folder: string, file: string) => file.startsWith(`${folder}/`) && !files.includes(file)
  const counts = folders.map((folder) => [folder, tests.filter(({ file }) => isOther(folder, file)).length] as const)
  return {
    suites: own.flatMap(({ suite }) => suite?.slice("conformance/src/".length) ?? []),
    tests: files,
    sharedTests: new Map(counts.filter(([, count]) => count > 0))
  }
}

const ofContract = (sources: Sources, contract: string, rules: readonly string[]): NounFiles => {
  const operations = sources.operations.filter((operation) => operation.contract === contract)
  const answering = unique(operations.map(({ core = "" }) => core)).filter((file) => file !== "http/handlers.ts")
  const anyAnswering = unique(sources.operations.map(({ core = "" }) => core))
  const folder = mainFolder(operations)
  const isOwnFolder = (part: string): boolean =>
    part === folder || (part.startsWith(`${folder}/`) && !anyAnswering.some((other) => folderOf(other) === part))
  const inFolder = sources.core
    .filter(({ file }) => isOwnFolder(folderOf(file)) && !anyAnswering.includes(file))
    .map(({ file }) => file)
  const citing = sources.core
    .filter((source) => !isApart(source.file) && !answering.includes(source.file) && cites(rules)(source))
    .map(({ file }) => file)
  const ports = portsIn(sources, [...answering, ...inFolder])
  return {
    name: words(contract),
    home: "core",
    rules,
    contract,
    operations,
    files: unique([...inFolder, ...citing]).toSorted(),
    ports,
    elsewhere: sources.others
      .filter((source) => source.file !== `contract/src/${contract}` && cites(rules)(source))
      .map(({ file }) => file),
    ...testsOf(sources, {
      folders: unique([topOf(folder ?? ""), ...operations.map(({ cases = "" }) => topOf(cases))]),
      noun: nameOf(contract),
      names: [nameOf(contract), ...operations.map(({ id }) => id)],
      imported: [...answering, ...inFolder].map((file) => `/core/src/${file}"`),
      rules,
      ports
    })
  }
}

const ofFolder = (sources: Sources, home: "core" | "node", folder: string): NounFiles => {
  const own = sources[home].filter(({ file }) => file.startsWith(`${folder}/`))
  const files = own.map(({ file }) => file)
  const ports = home === "core" ? portsIn(sources, files) : []
  const rules = unique(own.flatMap(({ text }) => citedBy(text))).filter((rule) => rule !== "")
  const beside = sources.core.filter(({ file }) => !isApart(file) && !files.includes(file))
  const citedBeside = new Set(beside.flatMap(({ text }) => citedBy(text)))
  const isOfFolder = cites(rules.filter((rule) => !citedBeside.has(rule)))
  return {
    name: home === "core" ? words(folder) : `${home}/${folder}`,
    home,
    rules,
    contract: undefined,
    operations: [],
    files,
    ports,
    elsewhere: sources.others
      .filter((source) => !source.file.startsWith(`${home}/`) && isOfFolder(source))
      .map(({ file }) => file),
    ...testsOf(sources, {
      folders: [folder],
      noun: folder,
      names: [],
      imported: files.map((file) => `/${home}/src/${file}"`),
      rules: [],
      ports
    })
  }
}

export interface Nouns {
  readonly withOperations: readonly NounFiles[]
  /** Folders of `core/src` that no noun with operations is named after. */
  readonly ofCore: readonly NounFiles[]
  readonly ofNode: readonly NounFiles[]
}

export const nounFiles = async (operations: readonly OperationFiles[], ports: readonly PortFiles[]): Promise<Nouns> => {
  const sources = await readSources(operations, ports)
  const withOperations = [...rulesByContract(sources)].map(([contract, rules]) => ofContract(sources, contract, rules))
  const folders = (home: "core" | "node") =>
    unique(sources[home].filter(({ file }) => !isApart(file)).map(({ file }) => topOf(file)))
  return {
    withOperations: withOperations.sort((a, b) => (a.name < b.name ? -1 : 1)),
    ofCore: folders("core")
      .filter((folder) => !withOperations.some(({ name }) => isNamed(name, folder)))
      .map((folder) => ofFolder(sources, "core", folder)),
    ofNode: folders("node").map((folder) => ofFolder(sources, "node", folder))
  }
}
