/** The tests of a noun. */
import { posix } from "node:path"
import type { SourceFile } from "@gatewarden/testkit/sourceFiles"
import { rememberedOf, unique } from "./databaseNames.ts"
import { compact, isNamed, nameOf, numbers } from "./names.ts"
import type { NounFiles, Sources } from "./nounFiles.ts"

interface Tested {
  readonly folders: readonly string[]
  readonly noun: string
  readonly names: readonly string[]
  /** As an import ends. */
  readonly imported: readonly string[]
  readonly isCited: (source: SourceFile) => boolean
  readonly ports: readonly string[]
  /** A file of conformance that has the noun's name, and one of these words, is about it. */
  readonly topics: readonly string[]
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

/** `settledOnce` begins like `settlement`. */
const stemOf = (noun: string): string => compact(noun).replace(/(?:ments?|s)$/, "")

/** Tests in a folder of the noun's name, or with a name of it, tests that import its files or cite its rules, and tests of its ports. */
export const testsOf = (
  sources: Sources,
  { folders, noun, names, imported, isCited, ports, topics }: Tested
): Pick<NounFiles, "suites" | "tests"> => {
  const named = new Set(names.flatMap((name) => numbers(compact(name))))
  const own = ports.flatMap((port) => sources.ports.get(port) ?? [])
  const ofPorts = new Set(own.flatMap((port) => port.tests))
  const ofOthers = new Set([...sources.ports.keys()].map(compact))
  const general = generalFolders(sources)
  const isOfName = ({ file }: SourceFile): boolean =>
    !general.has(topOf(file)) &&
    (named.has(testedName(file)) ||
      ports.some((port) => testedName(file).startsWith(compact(port))) ||
      (folders.includes(topOf(file)) && testedName(file).startsWith(stemOf(noun))))
  const files = sources.tests.filter(
    (test) =>
      folders.some((folder) => isNamed(folder, noun) && test.file.startsWith(`${folder}/`)) ||
      isOfName(test) ||
      ofPorts.has(test.file) ||
      (!ofOthers.has(testedName(test.file)) && (isAbout(test, imported) || isCited(test)))
  )
  return {
    suites: unique([
      ...own.flatMap(({ suite }) => suite?.slice("conformance/src/".length) ?? []),
      ...sources.conformance
        .filter(({ file, text }) => isNamed(nameOf(file), noun) && topics.some((topic) => text.includes(topic)))
        .map(({ file }) => file)
    ]),
    tests: files.map(({ file }) => file)
  }
}
