/**
 * References to what an upstream keeps for the owner of its key: files, containers, stores of vectors, skills. The key is shared by all
 * clients of the gateway, so that one could name what is another's; and no filter would see what the model reads.
 */
import { issuePath } from "@gatewarden/core/effect"
import { type Fields, isFields, type Malformed, mostIssues } from "./Dialect.ts"
import { notTaken } from "./read.ts"

/** Members with ids. */
const ids: ReadonlySet<string> = new Set([
  "collection_ids",
  "connector_id",
  "container_id",
  "file_id",
  "file_ids",
  "knowledge_id",
  "skill_id",
  "vector_store_ids"
])

/** Types of items and tools that read what the gateway does not see. */
const types: ReadonlySet<unknown> = new Set([
  "container_reference",
  "container_upload",
  "file_search",
  "mcp",
  "mcp_toolset",
  "skill_reference"
])

/** Schemas of tools, which are the client's own JSON, and what a model cited, which no model reads again. */
const unread: ReadonlySet<string> = new Set([
  "annotations",
  "citations",
  "input_examples",
  "input_schema",
  "parameters"
])

/** What a model wrote to a tool of the client. */
const isWritten = (type: unknown, name: string): boolean =>
  (name === "arguments" || name === "input") && typeof type === "string" && /(?:tool_use|_call)$/.test(type)

const isReference = (name: string, member: unknown): boolean => {
  if (ids.has(name)) return member != null && !(Array.isArray(member) && member.length === 0)
  if (name === "container") return typeof member === "string"
  // What a model said, by its id.
  return name === "audio" && isFields(member) && member["id"] != null
}

/** The first `mostIssues` places in fields of a request that refer to such things. */
export const referencesInFields = (fields: Fields, names: readonly string[]): Malformed["issues"] => {
  const found: Malformed["issues"][number][] = []
  const find = (path: string) =>
    found.push(notTaken(path, "The gateway does not see what this refers to. Send the content itself"))
  const open = names.map((name) => [fields[name], name] as const).toReversed()
  for (let one = open.pop(); one !== undefined && found.length < mostIssues; one = open.pop()) {
    const [value, path] = one
    const type = isFields(value) ? value["type"] : undefined
    if (types.has(type)) {
      find(path)
      continue
    }
    // The first comes first.
    const members = Array.isArray(value) ? [...value.entries()] : isFields(value) ? Object.entries(value) : []
    for (const [name, member] of members.toReversed()) {
      if (typeof name === "string" && isReference(name, member)) find(`${path}.${name}`)
      else if (typeof member !== "object" || member === null) continue
      else if (typeof name === "number") open.push([member, `${path}.${name}`])
      else if (!unread.has(name) && !isWritten(type, name)) open.push([member, `${path}.${issuePath([name])}`])
    }
  }
  return found.slice(0, mostIssues)
}
