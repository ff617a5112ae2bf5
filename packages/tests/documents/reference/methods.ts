/**
 * The method reference of the Promise API, made from the built declarations of its doors and their documentation.
 *
 * `problemsOf` says what of it is not documented; `examples` are compiled by a test.
 */
import { operations, type OperationShape, usageQuantities } from "@gatewarden/contract/internal"
import { defaultStorageLimits, variableOf, retained, retainedNames, retentionVariable } from "@gatewarden/core/internal"
import * as z from "zod"
import { doorsOf, type Found, type Member, readDeclarations } from "@gatewarden/testkit/publishing/declarations"
import { publishedPackages } from "@gatewarden/testkit/publishing/publishedPackages"
import { anchorsOf } from "../anchorOf.ts"
import { block, code, page, table } from "./markdown.ts"

/** The doors for hosts, in the order in which a reader needs them. */
const promiseDoors = [
  "@gatewarden/core",
  "@gatewarden/node",
  "@gatewarden/node/fastify",
  "@gatewarden/postgres",
  "@gatewarden/postgres/pglite",
  "@gatewarden/clickhouse",
  "@gatewarden/client"
] as const

interface Doc {
  readonly text: string
  readonly params: readonly { readonly name: string; readonly meaning: string }[]
  readonly returns: string | undefined
  readonly errors: string | undefined
  readonly examples: readonly string[]
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ").trim()

const readDoc = (doc: string): Doc => {
  const [text = "", ...tags] = doc.split(/^@/m)
  const of = (tag: string) =>
    tags
      .filter((each) => each.startsWith(`${tag} `) || each.startsWith(`${tag}\n`))
      .map((each) => each.slice(tag.length))
  return {
    text: text.trim(),
    params: of("param").map((param) => {
      const [, name = "", meaning = ""] = /^\s*(\w+)\s([\s\S]*)$/.exec(param) ?? []
      return { name, meaning: oneLine(meaning) }
    }),
    returns: of("returns").map(oneLine)[0],
    errors: of("throws").map(oneLine)[0],
    examples: of("example").map((example) => example.trim())
  }
}

/** Paragraphs; within one, lines are cut as the source has them. */
const prose = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map(oneLine)
    .join("\n\n")

/** The end of the bracket that opens at `start`. */
const closing = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if ("([{<".includes(text[at] ?? "")) depth++
    else if (")]}".includes(text[at] ?? "") || (text[at] === ">" && text[at - 1] !== "=")) depth--
    if (depth === 0) return at
  }
  return text.length
}

/** Names of the parameters of a signature that begins with its type parameters or its bracket. */
const parametersOf = (signature: string): readonly string[] => {
  const start = signature.startsWith("<") ? closing(signature, 0) + 1 : 0
  const list = signature.slice(start + 1, closing(signature, start))
  const names: string[] = []
  for (let at = 0; at < list.length; at++) {
    const [, name] = /^\s*(?:\.\.\.)?(\w+)\??:/.exec(list.slice(at)) ?? []
    if (name !== undefined) names.push(name)
    // To the comma behind this parameter.
    for (let depth = 0; at < list.length && !(list[at] === "," && depth === 0); at++)
      if ("([{<".includes(list[at] ?? "")) depth++
      else if (")]}".includes(list[at] ?? "") || (list[at] === ">" && list[at - 1] !== "=")) depth--
  }
  return names
}

/** `: (a: string) => number` and `(a: string): number` are methods, anything else is a value. */
const signatureOf = (type: string): string | undefined => {
  if (type.startsWith("(") || type.startsWith("<")) return type
  const value = type.replace(/^:\s*/, "")
  if (!/^[(<]/.test(value)) return undefined
  const end = closing(value, value.startsWith("<") ? closing(value, 0) + 1 : 0)
  return /^\s*=>/.test(value.slice(end + 1)) ? value : undefined
}

interface Callable {
  readonly name: string
  readonly signature: string
  readonly doc: Doc
}

interface Entry {
  readonly name: string
  readonly doc: Doc
  /** As it is declared. */
  readonly text: string
  readonly callable: Callable | undefined
  readonly methods: readonly Callable[]
  readonly values: readonly Member[]
}

const callableOf = (name: string, type: string, doc: string): Callable | undefined => {
  const signature = signatureOf(type)
  return signature === undefined ? undefined : { name, signature, doc: readDoc(doc) }
}

/** A function that may be left out is an option. */
const isMethod = ({ type, optional }: Member): boolean => !optional && signatureOf(type) !== undefined

const entryOf = (name: string, { text, doc, members }: Extract<Found, { readonly text: string }>): Entry => {
  const [, type] = /^(?:const|function) \w+([:(<][\s\S]*);$/.exec(text.trim()) ?? []
  return {
    name,
    doc: readDoc(doc),
    text: text.trim(),
    callable: type === undefined ? undefined : callableOf(name, type, doc),
    methods: members.flatMap((member) =>
      isMethod(member) ? (callableOf(member.name, member.type.replaceAll("\n    ", "\n"), member.doc) ?? []) : []
    ),
    values: members.filter((member) => !isMethod(member))
  }
}

interface Door {
  readonly name: string
  readonly entries: readonly Entry[]
}

const doors: readonly Door[] = promiseDoors.map((name) => {
  for (const published of publishedPackages) {
    const all = doorsOf(published)
    const [file] = [...all].find(([, door]) => door === name) ?? []
    if (file === undefined) continue
    const { lookUp, namesOf } = readDeclarations(all)
    const entries = namesOf(file).flatMap((exported) => {
      const found = lookUp(file, exported)
      return found === undefined || "from" in found ? [] : [entryOf(exported, found)]
    })
    // What is called first, then what it is given and what it answers.
    return {
      name,
      entries: [...entries].sort((a, b) => Number(b.callable !== undefined) - Number(a.callable !== undefined))
    }
  }
  throw new Error(`no door ${name}`)
})

/** A long type is cut here: the rest is in the declarations of the package. */
const typeCell = ({ type, optional }: Member): string => {
  const text = oneLine(type.replace(/^:\s*/, ""))
  return `${code(text.length > 80 ? `${text.slice(0, 77)}…` : text)}${optional ? ", optional" : ""}`
}

/** As a call: `(a: string) => number` becomes `(a: string): number`. */
const called = ({ name, signature }: Callable): string => {
  const start = signature.startsWith("<") ? closing(signature, 0) + 1 : 0
  const end = closing(signature, start) + 1
  return `${name}${signature.slice(0, end)}${signature.slice(end).replace(/^\s*=> /, ": ")}`
}

const callableText = (level: string, callable: Callable): string => {
  const { name, doc } = callable
  return [
    `${level} ${name}`,
    prose(doc.text),
    block(called(callable)),
    doc.params.length === 0
      ? ""
      : table(
          ["parameter", "meaning"],
          doc.params.map((param) => [code(param.name), param.meaning])
        ),
    [
      ...(doc.returns === undefined ? [] : [`- Returns: ${doc.returns}`]),
      ...(doc.errors === undefined ? [] : [`- Errors: ${doc.errors.replace(/^nothing\b/, "none")}`])
    ].join("\n"),
    ...doc.examples.map(block)
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** The interfaces that one of ours takes over. */
const extended = (text: string): readonly string[] =>
  (/^interface \w+ extends ([^{]*)\{/.exec(text)?.[1] ?? "")
    .split(",")
    .map((base) => base.trim())
    .filter((base) => doors.some(({ entries }) => entries.some(({ name }) => name === base)))

interface Property {
  readonly type?: string
  readonly anyOf?: readonly Property[]
  readonly properties?: Readonly<Record<string, Property>>
}

/** Fields of a schema, those of an inner object by their dotted path. */
const fieldsOf = (property: Property, path: string): readonly string[] => {
  const inner = property.properties ?? property.anyOf?.find(({ properties }) => properties !== undefined)?.properties
  return inner === undefined
    ? [path]
    : Object.entries(inner).flatMap(([name, each]) => fieldsOf(each, path === "" ? name : `${path}.${name}`))
}

/** The keys of types that are made from a table of the code: their declaration names the table alone. */
const keysOf: Readonly<Record<string, () => string>> = {
  RetentionSettings: () =>
    table(
      ["key", "default, in seconds", "variable of the server"],
      retainedNames.map((name) => [
        code(name),
        retained[name].default_seconds.toLocaleString("en-US"),
        code(retentionVariable(name))
      ])
    ),
  StorageLimits: () =>
    table(
      ["key", "default", "variable of the server"],
      (Object.keys(defaultStorageLimits) as (keyof typeof defaultStorageLimits)[]).map((name) => [
        code(name),
        defaultStorageLimits[name].toLocaleString("en-US"),
        code(variableOf(name))
      ])
    ),
  TokenUsage: () =>
    `Each field is a number, and may be absent or null: ${fieldsOf(
      z.toJSONSchema(z.object(usageQuantities), { io: "input", unrepresentable: "any" }) as Property,
      ""
    )
      .map(code)
      .join(", ")}. In ${code("server_tool_use")} the numbers are by type of tool.`
}

const entryText = (entry: Entry): string => {
  const { name, doc, text, callable, methods, values } = entry
  if (callable !== undefined) return callableText("###", callable)
  return [
    `### ${name}`,
    prose(doc.text),
    ...extended(text).map((base) => `It also has what [${base}](#${base.toLowerCase()}) has.`),
    ...(methods.length + values.length === 0 && text.length <= 600 && keysOf[name] === undefined ? [block(text)] : []),
    ...[keysOf[name]?.() ?? ""],
    ...(values.length === 0
      ? []
      : [
          table(
            ["field", "type", "meaning"],
            values.map((member) => [code(member.name), typeCell(member), prose(readDoc(member.doc).text)])
          )
        ]),
    ...methods.map((method) => callableText("####", method))
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

const inputOf = ({ path, query, body }: OperationShape): string =>
  [
    ...(/:/.test(path) ? [code("params")] : []),
    ...(query === undefined ? [] : [code("query")]),
    ...(body === undefined ? [] : [body.kind === "file" ? `${code("file")}, ${code("filename")}` : code("body")]),
    ...(body?.kind === "jsonOrLines" ? [`or ${code("lines")}`] : [])
  ].join(", ")

const shapes: readonly OperationShape[] = operations

const clientMethods = (): string =>
  [
    "### Methods of a client",
    "One for each operation. Shapes of inputs and responses: [`openapi.json`](../openapi.json). Every method also takes `headers`, `signal` and `key`, see [CallOptions](#calloptions), and rejects with a [GatewardenError](#gatewardenerror) for one of the statuses named here, and for those of every request: [statuses](../rules/requests.md#statuses-of-every-request).",
    table(
      ["method", "request", "input", "what for", "errors"],
      shapes.map((shape) => [
        code(shape.id),
        code(`${shape.method} ${shape.path}`),
        inputOf(shape),
        shape.summary,
        shape.errors.join(", ")
      ])
    )
  ].join("\n\n")

/** Whatever is called, with where it is. */
const callables: readonly { readonly at: string; readonly callable: Callable }[] = doors.flatMap(({ name, entries }) =>
  entries.flatMap((entry) => [
    ...(entry.callable === undefined ? [] : [{ at: `${name}: ${entry.name}`, callable: entry.callable }]),
    ...entry.methods.map((method) => ({ at: `${name}: ${entry.name}.${method.name}`, callable: method }))
  ])
)

/** Shapes of what a host brings are the host's to document. */
const brought = /: (?:Host(?!Caller|Answer|Log)|Fastify|OpenTelemetry)/

/** What of the doors has no documentation, or an incomplete one. */
export const problemsOf = (): readonly string[] => [
  ...doors.flatMap(({ name, entries }) =>
    entries.filter(({ doc }) => doc.text === "").map((entry) => `${name}: ${entry.name} is not documented`)
  ),
  ...doors.flatMap(({ name, entries }) =>
    entries.flatMap((entry) =>
      entry.values
        .filter(({ doc }) => doc === "" && !brought.test(`: ${entry.name}`))
        .map((member) => `${name}: ${entry.name}.${member.name} has no meaning`)
    )
  ),
  ...callables.flatMap(({ at, callable: { signature, doc } }) => {
    if (brought.test(at)) return []
    const named = doc.params.map(({ name }) => name).join()
    const real = parametersOf(signature).join()
    return [
      ...(doc.text === "" ? [`${at} does not say what it is for`] : []),
      ...(named === real ? [] : [`${at} documents the parameters "${named}", and has "${real}"`]),
      ...(doc.returns === undefined ? [`${at} does not say what it returns`] : []),
      ...(doc.errors === undefined ? [`${at} does not say what it throws`] : []),
      ...(doc.examples.length === 0 ? [`${at} has no example`] : [])
    ]
  })
]

/** Every example as the body of a function of its own. */
export const examples = (): readonly string[] => callables.flatMap(({ callable }) => callable.doc.examples)

export const methods = (): string => {
  const sections = doors.flatMap(({ name, entries }) => [
    `## ${name}`,
    ...entries.map(entryText),
    ...(name === "@gatewarden/client" ? [clientMethods()] : [])
  ])
  const title = "Methods"
  const anchors = [...anchorsOf([`# ${title}`, ...sections].join("\n\n"))]
  const linked = (name: string): string => {
    const at = anchors.findIndex(([heading]) => heading === name)
    const [found] = anchors.splice(0, at + 1).slice(-1)
    return `[${name}](#${found?.[1]})`
  }
  const contents = doors.map(
    ({ name, entries }) => `- ${linked(name)}: ${entries.map((entry) => linked(entry.name)).join(", ")}`
  )
  return page(
    title,
    "The Promise API: what a host calls. Every public name with its type, those for Effect and for authors of stores too, is in `api.md` of its package. How to embed an instance: [embedding](../embedding.md).",
    contents.join("\n"),
    ...sections
  )
}
