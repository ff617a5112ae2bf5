/** The page `docs/internals/nouns.md`, made from the table of operations, the list of ports and the files of both. */
import { posix } from "node:path"
import { sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { type Cells, code, page, table } from "../reference/markdown.ts"
import { anchorOf } from "../anchorOf.ts"
import { functionsOn, readSchema } from "./databaseNames.ts"
import { isNamed } from "./names.ts"
import { type NounFiles, nounFiles } from "./nounFiles.ts"
import { type OperationFiles, operationFiles } from "./operationFiles.ts"
import { type PortFiles, portFiles } from "./portFiles.ts"
import { type StoreFiles, storeFiles } from "./storeFiles.ts"
import { words } from "./words.ts"

const schema = await readSchema()

const without = (prefix: string) => (file: string) => file.slice(prefix.length)

const ruleLink = (rule: string): string => `[${rule}](../rules/${rule.replace("#", ".md#")})`

const list = (files: Iterable<string | undefined>): string =>
  [...new Set(files)]
    .filter((file) => file !== undefined)
    .sort()
    .map(code)
    .join(", ")

const groupedBy = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** A list of more files than this names folders below the first level alone, with their number. */
const mostListed = 24

/** So many files of one folder are named as the folder. */
const mostInFolder = 8

const byFolder = (files: readonly string[]): string =>
  [...groupedBy(files, (file) => posix.dirname(file))]
    .map(([folder, own]) =>
      (files.length > mostListed || own.length > mostInFolder) && own.length > 1 && /[^.]\/./.test(folder)
        ? `${code(`${folder}/`)} (${own.length} files)`
        : list(own)
    )
    .join(", ")

const line = (title: string, text: string): string => (text === "" ? "" : `- ${title}: ${text}`)

/** `undefined`: the file has the name that the operation tells. */
const sharedCases = ({ id, cases = "" }: OperationFiles): string | undefined =>
  posix.basename(cases, ".cases.ts") === id ? undefined : cases

const answers = (operations: readonly OperationFiles[]): string =>
  [...groupedBy(operations, ({ core = "" }) => core)]
    .map(([file, own]) => `${code(file)} (${own.map(({ id }) => id).join(", ")})`)
    .join(", ")

const conformance = ({ operations, suites }: NounFiles): string =>
  list([
    ...suites,
    ...operations.flatMap((each) => [
      `${posix.dirname(each.cases ?? "")}/`,
      sharedCases(each),
      `${posix.dirname(each.command ?? "")}/`
    ])
  ])

type Files = Pick<StoreFiles, "memory" | "postgres" | "tables" | "functions" | "others">

const joined = (stores: readonly StoreFiles[]): Files => ({
  memory: stores.flatMap(({ memory }) => memory),
  postgres: stores.flatMap(({ postgres }) => postgres),
  tables: new Map(stores.flatMap(({ tables }) => [...tables])),
  functions: stores.flatMap(({ functions }) => functions),
  others: stores.flatMap(({ others }) => others)
})

type Tables = readonly (readonly [table: string, file: string])[]

/** The tables by the file that creates them, and the functions. */
const listed = (tables: Tables, functions: readonly string[]): string => {
  const files = [...groupedBy(tables, ([, file]) => file)].map(
    ([file, own]) => `${code(file)} (${own.map(([table]) => table).join(", ")})`
  )
  const names = [...new Set(functions)].sort().map((file) => file.replace(/\.sql$/, ""))
  const recorded = names.filter((name) => name.startsWith("record/"))
  const named = recorded.length > mostInFolder ? names.filter((name) => !recorded.includes(name)) : names
  const shown = [...named.map(code), ...(named.length < names.length ? [code("record/*")] : [])]
  return [...files, shown.length === 0 ? "" : `functions ${shown.join(", ")}`].filter((text) => text !== "").join("; ")
}

/** Of more functions than this, those with the noun's name, and those that write a table of its name, come first. */
const mostFunctions = 12

const database = ({ tables, functions, others }: Files, noun: string): string => {
  const own = [...tables].filter(([table]) => isNamed(table, noun))
  const writing = functionsOn(schema, [...new Map(own).keys()]).map((name) => `${name}.sql`)
  // `settled_outcomes` and `settle_events` are of the settlement.
  const named = new RegExp(`(?:^|_)(?:${noun.replaceAll(/(?:ments?|s)\b/g, "").replaceAll(" ", "|")})`)
  const first = functions.filter((file) => noun !== "" && (writing.includes(file) || named.test(file)))
  const isParted = functions.filter((file) => !file.startsWith("record/")).length > mostFunctions && first.length > 0
  const rest = functions.filter((file) => !first.includes(file))
  const besides = own.length === 0 ? [] : [...tables].filter(([table]) => !isNamed(table, noun))
  const shown = own.length === 0 ? [...tables] : own
  const also = [...new Set(others)].filter((table) => !tables.has(table)).sort()
  return [
    ...(isParted
      ? [listed(shown, first), `with its ports ${listed(besides, rest)}`]
      : [listed([...tables], functions)]),
    also.length === 0 ? "" : `adapters also use ${also.join(", ")}`
  ]
    .filter((text) => text !== "")
    .join("; ")
}

/** `noun`: `""` if it has no operations. */
const stored = (ports: readonly string[], files: Files, noun: string): readonly string[] => [
  line("in memory", ports.length === 0 ? "" : list([...ports.map((port) => `${port}.ts`), ...files.memory])),
  line("in SQL", list([...ports.map((port) => `adapters/${port}.ts`), ...files.postgres])),
  line("database", database(files, noun))
]

const linked = (heading: string): string => `[${heading}](#${anchorOf(heading)})`

const portLink = (port: string): string => `[${port}](#${anchorOf(`Port ${port}`)})`

/** Files with a row, or a member, for many nouns. */
const shared: readonly Cells[] = [
  ["`contract/src/operations.ts`", "every operation"],
  ["`contract/src/reasons/`", "every reason of a refusal, with its remedy"],
  ["`core/src/http/handlers.ts`", "which function answers an operation"],
  ["`core/src/instance/portChanges.ts`", "what a method of a port changes, and what caches forget then"],
  ["`core/src/policy/DecisionCache.ts`", "what decisions keep of keys, guardrails, presets, credentials and models"],
  ["`core/src/decision/evaluateRequest.ts`", "what a decision reads of a key, its workspace and its budgets"],
  ["`core/src/audit/auditedFacts.ts`", "what the audit log says of a thing"],
  ["`core/src/limits/rateLimits.ts`", "which operations have a rate limit"],
  ["`core/src/ports/storageQuotas.ts`", "how much of each thing an account may have"],
  ["`core/src/background/backgroundTable.ts`", "every background job"],
  ["`core/src/memory/tables/Tables.ts`", "the rows of all ports in memory"],
  ["`postgres/src/statements/personColumns.ts`", "which columns are personal data"],
  ["`postgres/src/statements/sealedColumns.ts`", "which columns are encrypted"],
  ["`node/src/config/retentionVariables.ts`", "how long things are kept"],
  ["`testkit/src/tenancy/tenancyMatrix.ts`", "what other accounts may not see of a thing"]
]

type Stores = ReadonlyMap<string, StoreFiles>

const section = (noun: NounFiles, stores: Stores): string => {
  const { name, home, rules, contract, schemas, operations, files, elsewhere } = noun
  const own = joined(noun.ownPorts.flatMap((port) => stores.get(port) ?? []))
  const isSql = (file: string) => file.startsWith("postgres/src/")
  const postgres = [...own.postgres, ...elsewhere.filter(isSql).map(without("postgres/src/"))]
  const readers = noun.readers.toSorted().map(portLink).join(", ")
  const read = readers === "" ? "" : `; others that use its tables: ${readers}`
  return [
    `### ${name}`,
    "",
    ...[
      line("rules", rules.map(ruleLink).join(", ")),
      line("contract", [list([contract]), byFolder(schemas)].filter((text) => text !== "").join(", ")),
      line("operations", answers(operations)),
      line(home, byFolder(files)),
      line("called by", list(noun.callers)),
      line("ports", noun.ports.length === 0 ? "" : `${noun.ports.map(portLink).join(", ")}${read}`),
      ...stored(noun.ownPorts, { ...own, postgres, tables: noun.tables }, contract === undefined ? "" : name),
      line("other packages", byFolder(elsewhere.filter((file) => !isSql(file)))),
      line("conformance", conformance(noun)),
      line("tests", noun.tests.length === 0 ? "none beside conformance" : byFolder(noun.tests))
    ].filter((text) => text !== "")
  ].join("\n")
}

const portSection = ({ port, rule, declared, usedBy, suite, cases, tests }: PortFiles, stores: Stores): string =>
  [
    `### Port ${port}`,
    "",
    ...[
      line("rule", rule === undefined ? "" : ruleLink(rule)),
      line(
        "core",
        [
          list([without("core/src/")(declared), ...(stores.get(port)?.core ?? [])]),
          ...(usedBy.length === 0 ? [] : [`called by ${list(usedBy)}`])
        ].join(", ")
      ),
      ...stored([port], joined([stores.get(port) ?? []].flat()), ""),
      line("conformance", list([suite ?? [], cases].flat().map(without("conformance/src/")))),
      line("tests", list(tests))
    ].filter((text) => text !== "")
  ].join("\n")

const index = (headings: readonly string[]): readonly Cells[] =>
  Object.entries(words).map(([word, sections]) => {
    const parts = sections.map((text) => text.split(/(?= \()/))
    const missing = parts.filter(([heading = ""]) => !headings.includes(heading))
    if (missing.length > 0) throw new Error(`words.ts: no section ${missing.join(", ")}`)
    return [word, parts.map(([heading = "", note = ""]) => linked(heading) + note).join(", ")]
  })

export const nouns = async (): Promise<string> => {
  const [operations, ports] = [await operationFiles(), await portFiles()]
  const stores = await storeFiles(ports)
  const { withOperations, ofCore, ofNode } = await nounFiles(operations, ports, stores)
  const ofSeveral = (await sourceFiles("conformance"))
    .map(({ file }) => without("conformance/src/")(file))
    .filter((file) => /\/[a-z]\w+\.suite\.ts$/.test(file))
  const sections = (all: readonly NounFiles[]) => all.map((noun) => section(noun, stores))
  const headings = [
    ...[...withOperations, ...ofCore, ...ofNode].map(({ name }) => name),
    ...ports.map(({ port }) => `Port ${port}`)
  ]
  return page(
    "Where a noun is",
    "Find the files of a thing by its name. The page lists the nouns with operations, the other folders of `core`, the folders of `node`, and the ports.",
    table(["other word", "sections"], index(headings)),
    table(
      ["line", "paths below", "content"],
      [
        [
          "rules",
          "`docs/rules`",
          "the rules that the contract or the comment of an operation cites, and other rules of the page with the noun's name"
        ],
        ["contract", "`contract/src`", "the declaration of operations, schemas and statuses"],
        ["operations", "`core/src`", "the file that answers each operation"],
        ["core", "`core/src`", "the noun's other files, and files that cite a rule or that the adapters use"],
        ["called by", "`core/src`", "the files of core that import the noun's, if they are few"],
        ["ports", "", "the ports that the operations call, and others whose SQL adapters use the tables of the noun"],
        [
          "in memory",
          "`core/src/memory`",
          "the adapters of the noun's own ports, and files that few other adapters use or that cite the port's rule. `tables/Tables.ts` has the rows of all ports."
        ],
        ["in SQL", "`postgres/src`", "the same in SQL, and files that cite a rule"],
        [
          "database",
          "`postgres/src/migrations/baseline`, `postgres/src/functions`",
          "the tables that the adapters write, or else read, by the file that creates them; and the functions that they call, that write these tables, or that triggers on them run. The names begin with `gatewarden_`. Of many functions, those of the noun come first, and `with its ports` begins the rest. Tables of other nouns that the adapters use come last."
        ],
        [
          "other packages",
          "`packages`",
          "files that cite a rule or have the noun's name, also of the reference gateway, and commands for its operations"
        ],
        [
          "conformance",
          "`conformance/src`",
          "the folder of the commands and of `<operationId>.cases.ts`, or of the same name; files with cases of several operations; suites of ports"
        ],
        [
          "tests",
          "`tests`",
          "tests in the noun's folder, with the name of the noun, of an operation, a file or a table, and tests that import its files or cite a rule"
        ]
      ]
    ),
    "Files that serve many nouns stand here alone:",
    table(["file, below `packages`", "content"], shared),
    "## Nouns with operations",
    ...sections(withOperations),
    "## Other folders of core",
    ...sections(ofCore),
    "## Folders of node",
    ...sections(ofNode),
    "## Ports",
    "`httpSuite` tests the ports that have no suite of their own. Tables that many adapters write are listed at the port of their name.",
    line("conformance", `${list(ofSeveral)} hold several ports to a rule`),
    ...ports.map((port) => portSection(port, stores))
  )
}
