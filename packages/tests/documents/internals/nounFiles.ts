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
import { matches, rememberedOf, unique } from "./databaseNames.ts"
import { testsOf } from "./nounTests.ts"
import type { PortFiles } from "./portFiles.ts"
import type { StoreFiles } from "./storeFiles.ts"
import { beginsWith, compact, isNamed, nameOf, words } from "./names.ts"

export interface NounFiles {
  readonly name: string
  readonly rules: readonly string[]
  /** The package of `folder` and `files`. */
  readonly home: "core" | "node"
  /** Below `contract/src`; `undefined`: the noun has no operation. */
  readonly contract: string | undefined
  readonly operations: readonly OperationFiles[]
  /** Below `contract/src`: beside `contract`. */
  readonly schemas: readonly string[]
  /** Below `src` of the package: beside the files of the operations. */
  readonly files: readonly string[]
  /** Below `core/src`: files of other folders that import those of a folder without operations. */
  readonly callers: readonly string[]
  readonly ports: readonly string[]
  /** Those of `ports` whose tables are the noun's. */
  readonly ownPorts: readonly string[]
  /** With the files that create them. */
  readonly tables: ReadonlyMap<string, string>
  /** Ports whose SQL adapters read the noun's tables, beside `ports`. */
  readonly readers: readonly string[]
  /** Below `packages/`: files of other packages that cite a rule of the noun, or have its name. */
  readonly elsewhere: readonly string[]
  /** Below `conformance/src`: suites of its own ports, and files with its name. */
  readonly suites: readonly string[]
  /** Below `packages/tests`. */
  readonly tests: readonly string[]
}

const citedBy = rememberedOf(readCitations)

export interface Sources {
  readonly contract: readonly SourceFile[]
  readonly core: readonly SourceFile[]
  readonly others: readonly SourceFile[]
  readonly tests: readonly SourceFile[]
  readonly node: readonly SourceFile[]
  readonly conformance: readonly SourceFile[]
  readonly testkit: readonly SourceFile[]
  readonly ports: ReadonlyMap<string, PortFiles>
  readonly stores: ReadonlyMap<string, StoreFiles>
  readonly operations: readonly OperationFiles[]
}

const packages = fileURLToPath(new URL("../../../", import.meta.url))

/** The files below a folder of `packages/` that a pattern accepts, with their names below that folder. */
const filesIn = async (folder: string, accepted: RegExp): Promise<readonly SourceFile[]> => {
  const files = (await readdir(`${packages}${folder}`, { recursive: true })).map((file) => file.replaceAll("\\", "/"))
  const own = files.filter((file) => accepted.test(file) && !/(?:^|\/)(?:node_modules|dist)\//.test(file)).sort()
  return Promise.all(own.map(async (file) => ({ file, text: await readFile(`${packages}${folder}/${file}`, "utf8") })))
}

const gateway = "../examples/gateway/src/"

const below = (prefix: string, sources: readonly SourceFile[]): readonly SourceFile[] =>
  sources.map(({ file, text }) => ({ file: file.slice(prefix.length), text }))

const readSources = async (
  operations: readonly OperationFiles[],
  ports: readonly PortFiles[],
  stores: ReadonlyMap<string, StoreFiles>
): Promise<Sources> => ({
  contract: below("contract/src/", await sourceFiles("contract")),
  core: below("core/src/", await sourceFiles("core")),
  others: [
    ...(await sourceFiles("contract", "postgres", "node")).filter(
      ({ file }) => !/^postgres\/src\/(?:adapters|embedded)\//.test(file)
    ),
    ...(await filesIn(gateway, /\.ts$/)).map(({ file, text }) => ({ file: `${gateway}${file}`, text }))
  ],
  tests: (await filesIn("tests", /\.test\.ts$/)).filter(({ file }) => !file.startsWith("documents/")),
  node: below("node/src/", await sourceFiles("node")),
  conformance: below("conformance/src/", await sourceFiles("conformance")),
  testkit: below("testkit/src/", await sourceFiles("testkit")),
  ports: new Map(ports.map((each) => [each.port, each])),
  stores,
  operations
})

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

const isIn = (folders: readonly string[]) => {
  const inside = new RegExp(`^(?:${folders.join("|")})/`)
  return (file: string): boolean => inside.test(file)
}

/** A file of these folders, or of the contract, cites rules of many nouns in passing. */
const isGeneralFolder = isIn(["value", "http", "cache", "contract"])

/** A file is about the rule that it cites first. */
const isAbout =
  (rules: readonly string[]) =>
  (source: SourceFile): boolean =>
    cites(rules)(source) && (!isGeneralFolder(source.file) || rules.includes(citedBy(source.text)[0] ?? ""))

const importsIn = rememberedOf((text) => matches(text, /from "(\.[^"]+)"/g))

const importsOf = ({ file, text }: SourceFile): readonly string[] =>
  importsIn(text).map((path) => posix.join(folderOf(file), path))

/** Files of node that are named after a noun, such as `auditCommands.ts`, and commands that name one of its operations. */
const namedInNode = ({ node }: Sources, names: readonly string[], ids: readonly string[] = []): readonly string[] => {
  const calls = new RegExp(`\\b(?:${ids.join("|") || "$^"})\\b`)
  const isOwn = ({ file, text }: SourceFile): boolean => {
    const stem = /^(\w+?)(?:StoreCommands|Commands?|Variables)\.ts$/.exec(posix.basename(file))?.[1]
    return stem !== undefined && (names.some((name) => isNamed(stem, name)) || calls.test(text))
  }
  return node.filter(isOwn).map(({ file }) => `node/src/${file}`)
}

/** Files of node, conformance and testkit in other folders, with a name that begins so. */
const named = ({ node, conformance, testkit }: Sources, noun: string): readonly string[] =>
  Object.entries({ node, conformance, testkit }).flatMap(([name, sources]) =>
    sources.filter(({ file }) => beginsWith(file, noun)).map(({ file }) => `${name}/src/${file}`)
  )

/** Files of testkit in a folder whose name begins with the noun's, such as `filterCorpus`, or that are about a rule of the noun. */
const inTestkit = ({ testkit }: Sources, folder: string, rules: readonly string[]): readonly string[] =>
  testkit
    .filter(
      ({ file, text }) => topOf(file).replace(/[A-Z]\w*$/, "") === folder || rules.includes(citedBy(text)[0] ?? "")
    )
    .map(({ file }) => `testkit/src/${file}`)

/** A folder that so many files import serves all of core. */
const mostCallers = 12

/** Files of core that import these, if they are few. The table of handlers and the entries for hosts import every noun. */
const callersOf = (sources: Sources, files: readonly string[]): readonly string[] => {
  const callers = sources.core
    .filter(({ file }) => !/^(?:ports|memory)\/|^(?:http\/handlers|effect|index|internal|store)\.ts$/.test(file))
    .filter((source) => !files.includes(source.file) && importsOf(source).some((path) => files.includes(path)))
    .map(({ file }) => file)
  return callers.length > mostCallers ? [] : callers
}

/**
 * The nouns and folders that a port is of: the noun of its name; or else the folder of its name, and the folder of most of its callers.
 */
const isPortOf = (sources: Sources, port: string, noun: string, folder: string | undefined): boolean => {
  const { usedBy } = sources.ports.get(port) ?? { usedBy: [] }
  const nouns = unique(sources.operations.map(({ contract = "" }) => nameOf(contract)))
  const exact = nouns.find((each) => isNamed(port, each))
  if (exact !== undefined) return compact(noun).startsWith(compact(exact))
  if (folder === undefined) return false
  const bare = (name: string) => compact(name).replace(/s$/, "")
  const isInName = (name: string) => bare(port).startsWith(bare(name)) || bare(port).endsWith(bare(name))
  const tops = usedBy.map(topOf)
  const count = (top: string) => tops.filter((other) => other === top).length
  const most = Math.max(0, ...tops.map(count))
  const frequent = unique(tops).filter((top) => count(top) === most)
  const called = unique(usedBy.map(folderOf)).filter((each) => isInName(posix.basename(each)))
  const homes =
    called.length > 0 ? [...called.map(topOf), ...(most > 1 && frequent.length < 3 ? frequent : [])] : frequent
  return homes.includes(topOf(folder))
}

/** Of the readers of more ports, those of the table of the noun's name are meant. */
const fewReaders = 3

/** The ports of a noun, and what lies behind its own. A noun with a table and without a folder owns the ports of the table. */
const storesOf = (
  sources: Sources,
  called: readonly string[],
  noun: string,
  folder: string | undefined,
  /** The rules of a noun without a folder of its name. */
  rules?: readonly string[]
) => {
  const storeOf = (port: string) => sources.stores.get(port)
  const hasRule = (port: string): boolean => rules?.includes(sources.ports.get(port)?.rule ?? "") === true
  const ports = unique([...called, ...[...sources.ports.keys()].filter(hasRule)]).toSorted()
  const isOfName = (table: string): boolean => isNamed(table, noun)
  const hasTable = (port: string) => storeOf(port)?.written.some(isOfName) === true
  const isOwn = (port: string): boolean =>
    hasTable(port) ||
    hasRule(port) ||
    ((rules === undefined || !ports.some(hasTable)) && isPortOf(sources, port, noun, folder))
  const own = ports.filter(isOwn)
  const ownPorts = own.length === 0 && ports.length === 1 ? ports : own
  const stores = ownPorts.flatMap((port) => storeOf(port) ?? [])
  const named = [...sources.stores.values()].flatMap(({ tables }) => [...tables]).filter(([table]) => isOfName(table))
  const written = unique(stores.flatMap((each) => each.written))
  const others = [...sources.stores].filter(([port]) => !ownPorts.includes(port) && !ports.includes(port))
  const readersOf = (table: string) => others.filter(([, { read }]) => read.includes(table)).map(([port]) => port)
  const readersAmong = (some: readonly string[]) => unique(some.flatMap(readersOf))
  const readers = readersAmong(written)
  return {
    ports,
    ownPorts,
    readers: readers.length > fewReaders && written.some(isOfName) ? readersAmong(written.filter(isOfName)) : readers,
    behind: stores.flatMap(({ memory, postgres }) => [...memory, ...postgres]),
    core: stores.flatMap(({ core }) => core),
    tables: new Map([...stores.flatMap(({ tables }) => [...tables]), ...named]),
    /** A table with the name of another noun is not in the name of this one's tests, nor is a single word, such as `process`. */
    written: written.filter(
      (table) => table.includes("_") && !sources.operations.some((each) => isNamed(table, nameOf(each.contract ?? "")))
    )
  }
}

/** A folder of core that has the operations of one noun alone, and whose name the noun's begins with, is a part of the noun. */
const isMerged = (sources: Sources, folder: string, contract: string): boolean => {
  const contracts = unique(
    sources.operations.filter(({ core = "" }) => folderOf(core) === folder).map((each) => each.contract)
  )
  return contracts.length === 1 && contracts[0] === contract && compact(nameOf(contract)).startsWith(compact(folder))
}

/** A file of the contract that more import has forms of all nouns, such as an instant or a list. */
const fewImporters = 8

/** The files of the contract that declare parts of what this one declares. */
const schemasOf = ({ contract: all }: Sources, contract: string): readonly string[] => {
  const imported = all.filter(({ file }) => file === contract).flatMap(importsOf)
  const importers = (file: string) => all.filter((source) => importsOf(source).includes(file)).length
  return imported.filter((file) => importers(file) <= fewImporters)
}

const firstRules = (sources: readonly SourceFile[]): readonly string[] =>
  unique(sources.map(({ text }) => citedBy(text).find((rule) => rule !== "") ?? "")).filter((rule) => rule !== "")

/** `lockWorkspace.ts` and `keyRows.ts` among the statements of `postgres`. */
const isStatement = (file: string, noun: string): boolean =>
  file.startsWith("postgres/src/statements/") && ` ${words(file)}`.includes(` ${noun}`)

const ofContract = (sources: Sources, contract: string, cited: readonly string[]): NounFiles => {
  const noun = nameOf(contract)
  const operations = sources.operations.filter((operation) => operation.contract === contract)
  const answering = unique(operations.map(({ core = "" }) => core)).filter((file) => file !== "http/handlers.ts")
  const anyAnswering = unique(sources.operations.map(({ core = "" }) => core))
  const folder = mainFolder(operations)
  const isOwn = folder !== undefined && (isNamed(posix.basename(folder), noun) || isMerged(sources, folder, contract))
  const isOwnFolder = (part: string): boolean =>
    part === folder || (part.startsWith(`${folder}/`) && !anyAnswering.some((other) => folderOf(other) === part))
  const all = sources.core.filter(({ file }) => isOwnFolder(folderOf(file)) && !anyAnswering.includes(file))
  const rules = unique([
    ...cited,
    ...(isOwn ? firstRules(all).filter((rule) => !isGeneral(rule) && cited.map(pageOf).includes(pageOf(rule))) : [])
  ])
  const imported = sources.core.filter(({ file }) => answering.includes(file)).flatMap(importsOf)
  const inFolder = all
    .map(({ file }) => file)
    .filter((file) => isOwn || imported.includes(file) || compact(nameOf(file)).startsWith(compact(noun)))
  const declaring = [...sources.ports.values()].map(({ declared }) => declared.replace("core/src/", ""))
  const isAside = (file: string) => isApart(file) && (!file.startsWith("ports/") || declaring.includes(file))
  const citing = sources.core.filter(
    (source) => !isAside(source.file) && !answering.includes(source.file) && isAbout(rules)(source)
  )
  const called = portsIn(sources, [...answering, ...inFolder])
  const ports =
    called.length > 0
      ? called
      : portsIn(
          sources,
          imported.filter((file) => !isGeneralFolder(file))
        )
  const stores = storesOf(sources, ports, noun, folder, isOwn ? undefined : rules)
  const files = unique([...inFolder, ...citing.map(({ file }) => file)])
  const contractFolder = folderOf(contract)
  const isAlone = (file: string) => sources.operations.every((each) => each.core !== file || each.contract === contract)
  return {
    name: words(contract),
    home: "core",
    rules,
    contract,
    schemas: unique([
      ...sources.contract
        .map(({ file }) => file)
        .filter((file) => isNamed(contractFolder, noun) && file.startsWith(`${contractFolder}/`) && file !== contract),
      ...schemasOf(sources, contract)
    ]),
    operations,
    files: unique([...files, ...stores.core])
      .filter((file) => !answering.includes(file))
      .toSorted(),
    callers: callersOf(sources, isOwn ? [...answering, ...inFolder] : answering.filter(isAlone)),
    ...stores,
    elsewhere: unique([
      ...sources.others
        .filter(({ file }) => file !== `contract/src/${contract}`)
        .filter((source) => isAbout(rules)(source) || isStatement(source.file, noun))
        .map(({ file }) => file),
      ...namedInNode(
        sources,
        [noun, ...(isOwn && folder === topOf(folder) ? [folder] : [])],
        operations.map(({ id }) => id)
      ),
      ...inTestkit(sources, isOwn && folder === topOf(folder) ? folder : noun, rules),
      ...named(sources, noun)
    ]).filter((file) => !stores.behind.includes(file.replace("postgres/src/", ""))),
    ...testsOf(sources, {
      folders: unique([topOf(folder ?? ""), ...operations.map(({ cases = "" }) => topOf(cases))]),
      noun,
      names: [...[noun, ...operations.map(({ id }) => id), ...stores.written], ...stores.behind.map(nameOf)],
      files: [...answering, ...files],
      imported: [...answering, ...inFolder].map((file) => `/core/src/${file}"`),
      isCited: cites(rules),
      ports: stores.ownPorts
    })
  }
}

const ofFolder = (sources: Sources, home: "core" | "node", folder: string): NounFiles => {
  const own = sources[home].filter(({ file }) => file.startsWith(`${folder}/`))
  const files = own.map(({ file }) => file)
  const operations = sources.operations.filter(({ core = "" }) => home === "core" && files.includes(core))
  const ports = home === "core" ? portsIn(sources, files) : []
  const rules = unique(own.flatMap(({ text }) => citedBy(text))).filter((rule) => rule !== "")
  const beside = sources.core.filter(({ file }) => !isApart(file) && !files.includes(file))
  const citedBeside = new Set(beside.flatMap(({ text }) => citedBy(text)))
  const exclusive = rules.filter((rule) => !citedBeside.has(rule))
  const first = firstRules(own)
  const stores = storesOf(sources, ports, folder, home === "core" ? folder : undefined)
  const isBeside = (file: string) => home === "core" && file.startsWith(`postgres/src/${folder}/`)
  const citing = sources.others
    .filter((source) => !source.file.startsWith(`${home}/`) && (cites(exclusive)(source) || isBeside(source.file)))
    .map(({ file }) => file)
    .filter((file) => !stores.behind.includes(file.replace("postgres/src/", "")))
  const isContract = (file: string) => file.startsWith("contract/src/")
  return {
    name: home === "core" ? words(folder) : `${home}/${folder}`,
    home,
    rules: unique([...first, ...exclusive]),
    contract: undefined,
    schemas: citing.filter(isContract).map((file) => file.slice("contract/src/".length)),
    operations: operations.filter(({ core }) => core !== "http/handlers.ts"),
    files: files.filter((file) => file === "http/handlers.ts" || !operations.some(({ core }) => core === file)),
    callers: home === "core" ? callersOf(sources, files) : [],
    ...stores,
    elsewhere: unique([
      ...citing.filter((file) => !isContract(file)),
      ...(home === "core"
        ? [...namedInNode(sources, [folder]), ...inTestkit(sources, folder, exclusive), ...named(sources, folder)]
        : [])
    ]),
    ...testsOf(sources, {
      folders: [folder],
      noun: folder,
      names: [...stores.written, ...stores.behind.map(nameOf)],
      files,
      imported: files.map((file) => `/${home}/src/${file}"`),
      isCited: cites(first.length === 1 ? [...first, ...exclusive] : exclusive),
      ports: stores.ownPorts
    })
  }
}

export interface Nouns {
  readonly withOperations: readonly NounFiles[]
  /** Folders of `core/src` that no noun with operations is named after. */
  readonly ofCore: readonly NounFiles[]
  readonly ofNode: readonly NounFiles[]
}

export const nounFiles = async (
  operations: readonly OperationFiles[],
  ports: readonly PortFiles[],
  stores: ReadonlyMap<string, StoreFiles>
): Promise<Nouns> => {
  const sources = await readSources(operations, ports, stores)
  const contracts = rulesByContract(sources)
  const withOperations = [...contracts].map(([contract, rules]) => ofContract(sources, contract, rules))
  const folders = (home: "core" | "node") =>
    unique(sources[home].filter(({ file }) => !isApart(file)).map(({ file }) => topOf(file)))
  return {
    withOperations: withOperations.sort((a, b) => (a.name < b.name ? -1 : 1)),
    ofCore: folders("core")
      .filter((folder) => !withOperations.some(({ name }) => isNamed(name, folder)))
      .filter((folder) => ![...contracts.keys()].some((contract) => isMerged(sources, folder, contract)))
      .map((folder) => ofFolder(sources, "core", folder)),
    ofNode: folders("node").map((folder) => ofFolder(sources, "node", folder))
  }
}
