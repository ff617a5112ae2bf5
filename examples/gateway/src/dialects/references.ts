/**
 * References to what an upstream keeps for the owner of its key: files, containers, stores of vectors, skills. The key is shared by all
 * clients of the gateway, so that one could name what is another's; and no filter would see what the model reads.
 */
import { isFields, type Malformed } from "./Dialect.ts"
import { notTaken } from "./read.ts"

/** Members with ids. */
const ids: ReadonlySet<string> = new Set([
  "connector_id",
  "container_id",
  "file_id",
  "file_ids",
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

/** Members that are the client's own JSON: schemas, and what a model wrote to a tool of the client. */
const own: ReadonlySet<string> = new Set(["arguments", "input", "input_examples", "input_schema", "parameters"])

/** What a model cited, which no model reads again. */
const isCitation = (type: unknown): boolean => typeof type === "string" && /citation$|^file_path$/.test(type)

const isReference = (name: string, member: unknown): boolean => {
  if (ids.has(name)) return member != null && !(Array.isArray(member) && member.length === 0)
  if (name === "container") return typeof member === "string"
  // What a model said, by its id.
  return name === "audio" && isFields(member) && member["id"] != null
}

/** Where a field of a request refers to such things. `path`: of the field. */
export const referencesIn = (value: unknown, path: string): Malformed["issues"] => {
  const found: string[] = []
  const waiting: (readonly [unknown, string])[] = [[value, path]]
  while (waiting.length > 0) {
    const [next, at = path] = waiting.pop() ?? []
    if (Array.isArray(next)) next.forEach((item, index) => waiting.push([item, `${at}.${index}`]))
    else if (isFields(next) && !isCitation(next["type"])) {
      if (types.has(next["type"])) found.push(at)
      else
        for (const [name, member] of Object.entries(next))
          if (isReference(name, member)) found.push(`${at}.${name}`)
          else if (!own.has(name)) waiting.push([member, `${at}.${name}`])
    }
  }
  return found
    .toReversed()
    .map((each) => notTaken(each, "The gateway does not see what this refers to. Send the content itself"))
}
