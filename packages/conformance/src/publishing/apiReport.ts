/**
 * The public names of a package with the text of their types, read from its built declarations. Committed as `api.md` beside each
 * package, so that a change of a door is reviewed like code.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import type { PublishedPackage } from "./publishedPackages.ts"

/** A longer type, such as that of a table in zod, is cut here: its digest tells that it changed, its source what it is. */
const longest = 1_500

/** What a name is found to be: text of declarations, or another package's. */
type Found = { readonly text: string } | { readonly from: string }

/** What ends with its body. A brace within its heritage is followed by the rest of it. */
const bodied = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface)\b/

/** The end of a statement or a body that begins at `start`: behind the `;` or `}` that closes it. */
const endOf = (text: string, start: number): number => {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const character = text[index] ?? ""
    if (character === '"' || character === "'" || character === "`") {
      for (index++; index < text.length && text[index] !== character; index++) if (text[index] === "\\") index++
    } else if ("{([".includes(character)) depth++
    else if ("})]".includes(character)) {
      depth--
      if (
        depth === 0 &&
        bodied.test(text.slice(start, start + 60)) &&
        !/^\s*[>,&|]/.test(text.slice(index + 1, index + 20))
      )
        return index + 1
    } else if (character === ";" && depth === 0) return index + 1
  }
  return text.length
}

/** Comments go, as they change without the types. */
const withoutComments = (text: string): string =>
  text
    .replace(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "$1")
    .replace(/^[ \t]*\n/gm, "")

interface Module {
  /** Declarations by name, exported or not. */
  readonly declared: ReadonlyMap<string, string>
  readonly exported: ReadonlySet<string>
  /** `export { name as other } from`, by the name outside. */
  readonly passed: readonly { readonly outside: string; readonly inside: string; readonly from: string | undefined }[]
  /** `export * from`. */
  readonly whole: readonly string[]
}

const moduleOf = (source: string): Module => {
  const text = withoutComments(source)
  const declared = new Map<string, string>()
  const exported = new Set<string>()
  const heads = /^(export )?(?:declare )?(?:abstract )?(?:const|class|interface|type|function|enum) (\w+)/gm
  for (const head of text.matchAll(heads)) {
    const [, isExported, name = ""] = head
    const statement = text
      .slice(head.index, endOf(text, head.index))
      .replace(/^export /, "")
      .replace(/^declare /, "")
    // A function with several signatures is declared several times.
    declared.set(name, declared.has(name) ? `${declared.get(name)}\n${statement}` : statement)
    if (isExported !== undefined) exported.add(name)
  }
  const passed = Array.from(
    text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm),
    ([, names = "", from]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .filter((name) => name !== "")
        .map((name) => {
          const [inside = "", outside = inside] = name.split(" as ")
          return { inside, outside, from }
        })
  ).flat()
  const whole = Array.from(text.matchAll(/^export (?:type )?\* from "([^"]+)";/gm), ([, from = ""]) => from)
  return { declared, exported, passed, whole }
}

/** Reads declarations of one package, each file once. What a door has of another door is shown there. */
const reader = (doors: ReadonlyMap<string, string>) => {
  const modules = new Map<string, Module>()
  const read = (file: string): Module => {
    const known = modules.get(file) ?? moduleOf(readFileSync(file, "utf8"))
    modules.set(file, known)
    return known
  }
  const fileOf = (from: string, specifier: string): string =>
    posix.join(posix.dirname(from), specifier.replace(/\.[jt]s$/, ".d.ts"))

  /** A class that is made from a base of its own is nothing without it. */
  const textOf = ({ declared }: Module, name: string): string => {
    const own = declared.get(name) ?? ""
    const base = declared.get(`${name}_base`)
    return base === undefined ? own : `${own}\n${base}`
  }

  const lookUp = (file: string, name: string): Found | undefined => {
    const module = read(file)
    if (module.exported.has(name)) return { text: textOf(module, name) }
    const passed = module.passed.find(({ outside }) => outside === name)
    if (passed !== undefined) {
      const { from, inside } = passed
      if (from === undefined) return { text: textOf(module, inside) }
      return from.startsWith(".") ? lookUp(fileOf(file, from), inside) : { from }
    }
    for (const from of module.whole) {
      const next = from.startsWith(".") ? fileOf(file, from) : undefined
      if (next === undefined) continue
      const found = lookUp(next, name)
      const door = doors.get(next)
      if (found !== undefined) return door === undefined ? found : { from: door }
    }
    return undefined
  }

  const namesOf = (file: string): readonly string[] => {
    const { exported, passed, whole } = read(file)
    const through = whole.filter((from) => from.startsWith(".")).flatMap((from) => namesOf(fileOf(file, from)))
    return [...new Set([...exported, ...passed.map(({ outside }) => outside), ...through])]
  }

  return { lookUp, namesOf }
}

/** Where the compiler found a type that nobody named: it depends on what was built before. */
const withoutPaths = (text: string): string => text.replace(/\bimport\("\.[^"]*"\)\./g, "")

const cut = (text: string): string => {
  if (text.length <= longest) return text
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12)
  return `${text.slice(0, 200).trimEnd()}\n// … ${text.length} characters in all, ${digest}`
}

const shown = (found: Found | undefined): string => {
  if (found === undefined) return "// not found"
  return "from" in found ? `// of ${found.from}` : cut(withoutPaths(found.text.trim()))
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1)

/** The report of a package that was built. */
export const apiReport = ({ manifest, path }: PublishedPackage): string => {
  const doors = new Map(
    Object.entries(manifest.exports ?? {}).map(([entry, { types = "" }]) => [
      posix.join(path.replaceAll("\\", "/"), types),
      posix.join(manifest.name, entry)
    ])
  )
  const { lookUp, namesOf } = reader(doors)
  const sections = [...doors].map(([file, door]) => {
    const names = [...namesOf(file)].sort(byName)
    const entries = names.map((name) => `### ${name}\n\n\`\`\`ts\n${shown(lookUp(file, name))}\n\`\`\`\n`)
    return `## ${door}\n\n${names.length} names.\n\n${entries.join("\n")}`
  })
  return `# Public names of ${manifest.name}\n\nWritten by \`npm run api\` from the built declarations; a test fails while it is stale.\n\n${sections.join("\n")}`
}
