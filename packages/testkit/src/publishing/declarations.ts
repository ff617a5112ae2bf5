/**
 * The built declarations of a package, read as text: what its doors export, with the text and the documentation of each name.
 *
 * The report of public names and the method reference are made from it.
 */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import type { PublishedPackage } from "./publishedPackages.ts"

/** What a name is found to be: text of declarations, or another package's. */
export type Found =
  | {
      readonly text: string
      /** The comment before it, without its stars. */
      readonly doc: string
      /** Of an interface or a class, in the order of the source. */
      readonly members: readonly Member[]
    }
  | { readonly from: string }

/** A member of an interface or a class. */
export interface Member {
  readonly name: string
  readonly optional: boolean
  /** What follows the name: `: string`, or `(text: string): string`. */
  readonly type: string
  readonly doc: string
}

/** A comment without its stars. */
const plain = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()

const comment = String.raw`\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*`

/** The comment before a declaration. */
const docOf = (source: string, name: string): string => {
  const found = new RegExp(
    `${comment}^(?:export )?(?:declare )?(?:abstract )?(?:const|class|interface|type|function) ${name}\\b`,
    "m"
  ).exec(source)
  return plain(found?.[1] ?? "")
}

const membersOf = (source: string, name: string): readonly Member[] => {
  const body = new RegExp(
    `^(?:export )?(?:declare )?(?:interface|class) ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`,
    "m"
  ).exec(source)
  const members = (body?.[1] ?? "").matchAll(
    /^ {4}(?:\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n {4})?(?:readonly )?(\w+)(\??)([:(<][\s\S]*?);\n(?= {4}[^\s}]|$)/gm
  )
  return Array.from(members, ([, doc = "", member = "", optional, type = ""]) => ({
    name: member,
    optional: optional === "?",
    type,
    doc: plain(doc)
  })).filter((member) => member.name !== "constructor")
}

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
  readonly source: string
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
  return { source, declared, exported, passed, whole }
}

/** Reads declarations of one package, each file once. What a door has of another door is shown there. */
export const readDeclarations = (doors: ReadonlyMap<string, string>) => {
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

  const foundIn = (module: Module, name: string): Found => ({
    text: textOf(module, name),
    doc: docOf(module.source, name),
    members: membersOf(module.source, name)
  })

  const lookUp = (file: string, name: string): Found | undefined => {
    const module = read(file)
    if (module.exported.has(name)) return foundIn(module, name)
    const passed = module.passed.find(({ outside }) => outside === name)
    if (passed !== undefined) {
      const { from, inside } = passed
      if (from === undefined) return foundIn(module, inside)
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

/** The doors of a package by the file of their declarations. */
export const doorsOf = ({ manifest, path }: PublishedPackage): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(manifest.exports ?? {})
      // Nothing is promised of what only the packages of this repository use.
      .filter(([entry]) => !entry.startsWith("./internal"))
      .map(([entry, { types = "" }]) => [
        posix.join(path.replaceAll("\\", "/"), types),
        posix.join(manifest.name, entry)
      ])
  )
