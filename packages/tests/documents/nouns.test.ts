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

/** What a reader who knew the page alone has missed, by section. */
const missed: Readonly<Record<string, readonly string[]>> = {
  "management key": ["tenancy/restrictedKeys.ts", "tenancy/tenancy.memory.test.ts", "cli/keyCommands.ts"],
  workspace: ["file/removedContents.test.ts", "limits/storageQuotas.test.ts", "statements/lockWorkspace.ts"],
  "organization member": ["directory/directoryResource.ts", "directory_user", "api_key"],
  delivery: ["cli/destinationCommands.ts", "telemetry/deliveryMetrics.test.ts", "doctor/judgeDeliveries.test.ts"],
  "alert channel": ["alert/recipients.test.ts"],
  "budget warning": ["ledger/judgeHolds.test.ts", "- database: `ledger.sql` (budget_warning); functions"],
  ledger: [
    "ledger/operations.ts` (",
    "admission/ledgerBatches.test.ts",
    "postgres/intervals.test.ts",
    "eraseSpender.ts",
    "`interval.ts`"
  ],
  settlement: [
    "ledger/judgeHolds.test.ts",
    "; functions `record_settled`, `settle_events`, `settled_outcomes`; with its ports functions"
  ],
  analytics: ["statements/AnalyticsSql.ts"],
  erasure: ["dead_letter", "generation_content", "budget_window", "alert_delivery", "background/backgroundTable.ts"],
  "key rate limits": ["KeyRateCounts.ts", "PolicySources.ts", "key_rate_limit", "key_admission"],
  filter: [
    "testkit/src/filterCorpus/",
    "scanning.ts",
    "gateway/dialects/redaction.test.ts",
    "gateway/policy.test.ts",
    "dialects/restoreTexts.ts"
  ],
  "audit log": [
    "ports/acting.ts",
    "postgres/acting.test.ts",
    "stream/declaredChanges.test.ts",
    "- database: `audit.sql`",
    "`seal_changes`"
  ],
  http: ["conformance: `http/`"],
  rotation: ["vault/keyringRotation.deep.test.ts"],
  file: ["clients/fileClients.test.ts"],
  destination: ["dead_letter", "[SealedSecrets](#port-sealedsecrets)"],
  "Port IdempotencyRecords": ["http/replaying.test.ts", "http/protocol.ts", "postgres/durability.deep.test.ts"],
  "Port Retention": ["idempotency_record", "dead_letter", "tables/sweeps.ts"],
  "Port EndpointStatisticsReader": ["model/measureEndpoint.ts"],
  "Port ModelCatalog": ["privateEndpoint/withPrivateEndpoints.ts"]
}

/** What led a reader astray. */
const misleading: Readonly<Record<string, readonly string[]>> = {
  workspace: ["budgetsRise.test.ts", "workspaceBudgets.test.ts"],
  analytics: ["telemetry/metrics.test.ts"],
  "key rate limits": ["key_secret", "`spent`"],
  rankings: ["AuthorizationCodes", "`authorization.sql`"],
  model: ["AuthorizationCodes"],
  authorization: ["publicModels.ts", "RankingsReader"],
  rotation: ["gateway/process.deep.test.ts"]
}

const sectionsOf = (page: string): ReadonlyMap<string, string> =>
  new Map(page.split("\n### ").map((text) => [text.slice(0, text.indexOf("\n")), text] as const))

/** Where the paths of a line lie, below `packages/`. */
const foldersOf: Readonly<Record<string, string>> = {
  contract: "contract/src/",
  operations: "core/src/",
  core: "core/src/",
  "in memory": "core/src/memory/",
  "in SQL": "postgres/src/",
  "other packages": "",
  conformance: "conformance/src/"
}

/** The files and folders of a page that its sections name as their own. */
const namedBy = (page: string): readonly string[] =>
  Array.from(page.matchAll(/^- ([a-zA-Z ]+): (.*)$/gm)).flatMap(([, title = "", text = ""]) =>
    foldersOf[title] === undefined
      ? []
      : Array.from(
          text.replace(/, called by .*/, "").matchAll(/`([^`]+)`/g),
          ([, path = ""]) => foldersOf[title] + path
        )
  )

/** What no noun has for itself, with the reason. */
const ofNoNoun: Readonly<Record<string, RegExp>> = {
  "entries of packages": /^(?:core|postgres)\/src\/\w+\.ts$|^contract\/src\/(?:index|internal)\.ts$/,
  "the table of operations and the document as a whole":
    /^contract\/src\/(?:operations|documentOrder|openapi|removedOperations|manyOf|partOfConfig|unknownNames)\.ts$/,
  "reasons of all nouns, by area": /^contract\/src\/reasons/,
  "what the nouns of SCIM share": /^contract\/src\/scim\/scim(?:Operation|Schemas)\.ts$/,
  "a store as a whole, and the quotas of all nouns":
    /^core\/src\/(?:memory\/(?:memory|memoryStore|tables\/Tables)|ports\/(?:StoreHandle|storeLayer|storageQuotas))\.ts$/,
  "the database as a whole, in the folders that CONTRIBUTING lists":
    /^postgres\/src\/(?:connection|embedded|migrations|store|transfer)\/|^postgres\/src\/functions\/SqlFunction\.ts$/,
  "statements of every adapter":
    /^postgres\/src\/statements\/(?:FixedStatements|committedFacts|deleteInParts|literals|readPage|rows|statements)\.ts$/
}

const file = fileURLToPath(new URL("../../../docs/internals/nouns.md", import.meta.url))

describe("the page of nouns", () => {
  it("is as the code has it", async () => {
    const rendered = await nouns()
    if (process.env["GATEWARDEN_WRITE_REFERENCE"] === "1") writeFileSync(file, rendered)
    else assert.strictEqual(readFileSync(file, "utf8"), rendered, "npm run reference writes it")
  })

  it("leads to everything that a reader has missed, and not astray", () => {
    const sections = sectionsOf(readFileSync(file, "utf8"))
    const found = (expected: typeof missed, isFound: boolean) =>
      Object.entries(expected).flatMap(([section, parts]) =>
        parts.filter((part) => sections.get(section)?.includes(part) === isFound).map((part) => `${section}: ${part}`)
      )
    assert.deepEqual([...found(missed, false), ...found(misleading, true)], [])
    assert.sameMembers(
      Object.keys({ ...missed, ...misleading }).filter((section) => !sections.has(section)),
      []
    )
  })

  it("names every file of contract, core and postgres, and every suite, unless no noun has it for itself", async () => {
    const named = namedBy(readFileSync(file, "utf8"))
    const [files, folders] = [new Set(named), named.filter((path) => path.endsWith("/"))]
    const all = (await sourceFiles("contract", "core", "postgres", "conformance")).map((source) => source.file)
    const expected = all.filter((path) => !path.startsWith("conformance/") || path.endsWith(".suite.ts"))
    const isNamed = (path: string) => files.has(path) || folders.some((folder) => path.startsWith(folder))
    const isExcepted = (path: string) => Object.values(ofNoNoun).some((pattern) => pattern.test(path))
    assert.deepEqual(
      expected.filter((path) => !isNamed(path) && !isExcepted(path)),
      []
    )
    assert.deepEqual(
      Object.entries(ofNoNoun).filter(([, pattern]) => !expected.some((path) => pattern.test(path) && !isNamed(path))),
      []
    )
  })

  it("has the files of the SQL store apart from other packages, and says which nouns have no tests", () => {
    const sections = [...sectionsOf(readFileSync(file, "utf8")).values()]
    assert.deepEqual(
      sections.filter((text) => /^- other packages: .*postgres\/src/m.test(text)),
      []
    )
    const withOperations = sections.filter((text) => /^- operations:/m.test(text))
    assert.isAbove(withOperations.length, 40)
    assert.deepEqual(
      withOperations.filter((text) => !/^- tests:/m.test(text)),
      []
    )
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

  it("has every table of the database, and every function but the one that switches row-level security and what several nouns call", async () => {
    const listed = [...(await storeFiles(await portFiles())).values()]
    const { tables, functions } = await readSchema()
    assert.isAbove(tables.size, 50)
    assert.sameMembers([...new Set(listed.flatMap((store) => [...store.tables.keys()]))], [...tables.keys()])
    const shown = new Set(listed.flatMap((store) => store.functions))
    const callers = ({ file }: { readonly file: string }) =>
      [...functions.values()].filter(
        (one) => one.file !== file && new RegExp(`gatewarden_${file.replace(".sql", "")}\\b`).test(one.text)
      )
    for (const one of functions.values())
      if (!shown.has(one.file) && one.file !== "row_level_security.sql") {
        const calling = callers(one)
        assert.isAbove(calling.length, 1, one.file)
        for (const { file } of calling) assert.isTrue(shown.has(file), `${one.file}: ${file}`)
      }
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
