/** The tests of a noun. */
import { posix } from "node:path"
import type { SourceFile } from "@gatewarden/testkit/sourceFiles"
import { rememberedOf, unique } from "./databaseNames.ts"
import { beginsWith, compact, isNamed, nameOf, numbers } from "./names.ts"
import type { NounFiles, Sources } from "./nounFiles.ts"

interface Tested {
  readonly folders: readonly string[]
  readonly noun: string
  readonly names: readonly string[]
  /** Below `src` of core or node. A test of such a name is in a folder of the same name, or imports the file. */
  readonly files: readonly string[]
  /** As an import ends. */
  readonly imported: readonly string[]
  readonly isCited: (source: SourceFile) => boolean
  readonly ports: readonly string[]
}

const topOf = (file: string): string => file.split("/")[0] ?? ""

const testedName = (file: string): string => compact(posix.basename(file).split(".")[0] ?? "")

const importsIn = rememberedOf((text): readonly string[] => text.match(/\/(?:core|node)\/src\/[^"]+"/g) ?? [])

/** At least half of what a test imports from core and node is of the noun. */
const isAbout = ({ text }: SourceFile, imported: readonly string[]): boolean => {
  const all = importsIn(text)
  const own = all.filter((path) => imported.some((file) => path.endsWith(file)))
  return own.length > 0 && own.length * 2 >= all.length
}

/** Folders of conformance that test any operation, such as `fuzz` and `modelBased`: a name of a test there is no noun's. */
const generalFolders = ({ conformance }: Sources): ReadonlySet<string> => {
  const all = conformance.filter(({ file }) => file.includes("/")).map(({ file }) => file)
  const own = new Set(all.filter((file) => /\.cases\.ts$|\/[A-Z]\w+\.suite\.ts$/.test(file)).map(topOf))
  return new Set(all.map(topOf).filter((folder) => !own.has(folder)))
}

/** Whether a test has the name of another noun that the same folder answers for, such as `usage/rankings.test.ts`. */
const isNamedAfterAnother = ({ operations }: Sources, file: string, noun: string): boolean => {
  const answered = operations.filter(({ core = "" }) => topOf(core) === topOf(file))
  const nouns = unique(answered.map(({ contract = "" }) => nameOf(contract)))
  const begins = (each: string) => new RegExp(`^${each.replace(/[ys]$/, "")}(?:y|ies|s)?(?=[A-Z.])`)
  const named = nouns.filter((each) => begins(each).test(posix.basename(file))).toSorted((a, b) => a.length - b.length)
  return nouns.includes(noun) && named.length > 0 && named.at(-1) !== noun
}

/** `settledOnce` begins like `settlement`. */
const stemOf = (noun: string): string => compact(noun).replace(/(?:ments?|s)$/, "")

/** Tests in a folder of the noun's name, or with a name of it, tests that import its files or cite its rules, and tests of its ports. */
export const testsOf = (
  sources: Sources,
  { folders, noun, names, files, imported, isCited, ports }: Tested
): Pick<NounFiles, "suites" | "tests"> => {
  const named = new Set(names.flatMap((name) => numbers(compact(name))))
  const own = ports.flatMap((port) => sources.ports.get(port) ?? [])
  const ofPorts = new Set(own.flatMap((port) => port.tests))
  const ofOthers = new Set([...sources.ports.keys()].map(compact))
  const general = generalFolders(sources)
  const hasOperations = sources.operations.some(({ contract = "" }) => isNamed(nameOf(contract), noun))
  const isOfFile = (test: SourceFile): boolean =>
    files
      .filter((file) => isNamed(testedName(test.file), nameOf(file)))
      .some((file) => topOf(file) === topOf(test.file) || test.text.includes(`/src/${file}"`))
  /** In the folder, a test with the name of another noun, or of files that answer for another noun alone, is of that one. */
  const isOfAnother = ({ file, text }: SourceFile): boolean => {
    const beside = importsIn(text).filter((path) => path.includes(`/core/src/${topOf(file)}/`))
    const own = beside.filter((path) => imported.some((each) => path.endsWith(each)))
    return isNamedAfterAnother(sources, file, noun) || (beside.length > 0 && own.length === 0)
  }
  const isOfName = ({ file }: SourceFile): boolean =>
    !general.has(topOf(file)) &&
    (named.has(testedName(file)) ||
      ports.some((port) => testedName(file).startsWith(compact(port))) ||
      (folders.includes(topOf(file)) &&
        testedName(file).startsWith(stemOf(noun)) &&
        !isNamedAfterAnother(sources, file, noun)))
  const ownFolders = folders.filter((folder) => isNamed(folder, noun)).map((folder) => `${folder}/`)
  /** The folder of the noun's name is named as a whole, with what its tests import of it. */
  const inFolders = (found: readonly string[]): readonly string[] => [
    ...ownFolders.filter((folder) => found.some((file) => file.startsWith(folder))),
    ...found.filter((file) => !ownFolders.some((folder) => file.startsWith(folder)))
  ]
  const tests = sources.tests.filter(
    (test) =>
      (folders.some((folder) => isNamed(folder, noun) && test.file.startsWith(`${folder}/`)) && !isOfAnother(test)) ||
      isOfName(test) ||
      (beginsWith(test.file, noun) && !general.has(topOf(test.file))) ||
      isOfFile(test) ||
      ofPorts.has(test.file) ||
      (!ofOthers.has(testedName(test.file)) && (isAbout(test, imported) || isCited(test)))
  )
  return {
    suites: unique([
      ...own.flatMap(({ suite }) => suite?.slice("conformance/src/".length) ?? []),
      ...sources.conformance
        .filter((source) => isNamed(nameOf(source.file), noun) && isCited(source))
        .map(({ file }) => file),
      ...sources.conformance.filter(({ file }) => !hasOperations && topOf(file) === noun).map(() => `${noun}/`)
    ]),
    tests: inFolders(tests.map(({ file }) => file))
  }
}
