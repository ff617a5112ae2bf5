/**
 * References to what an upstream keeps for the owner of its key: files, containers, stores of vectors, skills. The key is shared by all
 * clients of the gateway, so that one could name what is another's; and no filter would see what the model reads.
 */
import { type Fields, isFields, type Malformed } from "./Dialect.ts"
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

/** Where a field of a request refers to such things. `path`: of the field. */
const referencesIn = (value: unknown, path: string): Malformed["issues"] => {
  const found: string[] = []
  const waiting: (readonly [unknown, string])[] = [[value, path]]
  while (waiting.length > 0) {
    const [next, at = path] = waiting.pop() ?? []
    if (Array.isArray(next)) next.forEach((item, index) => waiting.push([item, `${at}.${index}`]))
    else if (isFields(next)) {
      const { type } = next
      if (types.has(type)) found.push(at)
      else
        for (const [name, member] of Object.entries(next))
          if (isReference(name, member)) found.push(`${at}.${name}`)
          else if (!unread.has(name) && !isWritten(type, name)) waiting.push([member, `${at}.${name}`])
    }
  }
  return found
    .toReversed()
    .map((each) => notTaken(each, "The gateway does not see what this refers to. Send the content itself"))
}

/** Where fields of a request refer to such things. */
export const referencesInFields = (fields: Fields, names: readonly string[]): Malformed["issues"] =>
  names.flatMap((name) => referencesIn(fields[name], name))
