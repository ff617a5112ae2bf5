/** The page `docs/internals/nouns.md`, made from the table of operations, the list of ports and the files of both. */
import { posix } from "node:path"
import { type Cells, code, page, table } from "../reference/markdown.ts"
import { type NounFiles, nounFiles } from "./nounFiles.ts"
import { type OperationFiles, operationFiles } from "./operationFiles.ts"
import { type PortFiles, portFiles } from "./portFiles.ts"

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

const byFolder = (files: readonly string[]): string =>
  [...groupedBy(files, (file) => posix.dirname(file))]
    .map(([folder, own]) =>
      files.length > mostListed && own.length > 1 && folder.includes("/")
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

const tested = ({ tests, sharedTests }: NounFiles): string =>
  [byFolder(tests), ...[...sharedTests].map(([folder, count]) => `${code(`${folder}/`)} (${count} others)`)]
    .filter((text) => text !== "")
    .join(", ")

const section = (noun: NounFiles, ports: ReadonlyMap<string, PortFiles>): string => {
  const { name, home, rules, contract, operations, files, elsewhere } = noun
  const declared = noun.ports.map((port) => `${port} (${code(without("core/src/")(ports.get(port)?.declared ?? ""))})`)
  return [
    `### ${name}`,
    "",
    ...[
      line("rules", rules.map(ruleLink).join(", ")),
      line("contract", contract === undefined ? "" : code(contract)),
      line("operations", answers(operations)),
      line(home, byFolder(files)),
      line("ports", declared.join(", ")),
      line("other packages", byFolder(elsewhere)),
      line("conformance", conformance(noun)),
      line("tests", tested(noun))
    ].filter((text) => text !== "")
  ].join("\n")
}

const portRows = (ports: readonly PortFiles[]): readonly Cells[] =>
  ports.map(({ port, rule, declared, usedBy, adapters, suite, tests }) => [
    port,
    rule === undefined ? "" : ruleLink(rule),
    code(without("core/src/")(declared)),
    byFolder(usedBy),
    list(adapters.slice(1).map(without("postgres/src/"))),
    list([suite && without("conformance/src/")(suite)]),
    list(tests)
  ])

export const nouns = async (): Promise<string> => {
  const [operations, ports] = [await operationFiles(), await portFiles()]
  const byName = new Map(ports.map((port) => [port.port, port]))
  const { withOperations, ofCore, ofNode } = await nounFiles(operations, ports)
  const sections = (all: readonly NounFiles[]) => all.map((noun) => section(noun, byName))
  return page(
    "Where a noun is",
    "Find the files of a thing by its name. The page lists the nouns with operations, the other folders of `core`, the folders of `node`, and the ports.",
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
        ["core", "`core/src`", "the other files of the noun's folder, and files that cite one of the rules"],
        [
          "ports",
          "`core/src`",
          "the ports that the operations call. `Port` has the adapters `core/src/memory/Port.ts` and `postgres/src/adapters/Port.ts`."
        ],
        ["other packages", "`packages`", "files that cite one of the rules"],
        [
          "conformance",
          "`conformance/src`",
          "the folder of the commands and of `<operationId>.cases.ts`, and files with cases of several operations"
        ],
        [
          "tests",
          "`tests`",
          "tests in the noun's folder, with the name of the noun or of an operation, or that import its files"
        ]
      ]
    ),
    "## Nouns with operations",
    ...sections(withOperations),
    "## Other folders of core",
    ...sections(ofCore),
    "## Folders of node",
    ...sections(ofNode),
    "## Ports",
    "The in-memory adapter of a port is `core/src/memory/<Port>.ts`. `httpSuite` tests the ports that have no suite of their own.",
    table(["port", "rule", "core", "called by", "postgres", "suite in conformance", "tests"], portRows(ports))
  )
}
