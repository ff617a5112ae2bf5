/** The operations of a PATCH, each with its path resolved. Rule: scim#patches. Source: RFC 7644 3.5.2. */
import { type ReasonOf, scimLimits } from "@gatewarden/contract/internal"
import { Effect, Result } from "effect"
import { inSlices } from "../../value/inSlices.ts"
import { BadRequest, invalid } from "../../value/failure.ts"
import { type SelectedPath, parsePath } from "./Filter.ts"
import { attributeAt, isValues, type ResourceKind, schemaNamed, type Values } from "./ResourceKind.ts"

export type PatchVerb = "add" | "replace" | "remove"

export interface PatchStep {
  readonly verb: PatchVerb
  readonly path: SelectedPath
  readonly value: unknown
  /** Where in the body the operation is, for issues. */
  readonly place: string
}

/** A member of an object, whatever the case of its name. */
const memberOf = (sent: Values, name: string): unknown => {
  const key = Object.keys(sent).find((candidate) => candidate.toLowerCase() === name)
  return key === undefined ? undefined : sent[key]
}

const problem = (reason: ReasonOf<400>, path: string, message: string) => Result.fail(invalid(reason, path, message))

/** What is patched without a path: each attribute of the value, by its name, its path, or within its schema. What the schema does not have is left out. */
const spread = (kind: ResourceKind, verb: PatchVerb, value: Values, place: string): PatchStep[] =>
  Object.entries(value).flatMap(([name, member]): PatchStep[] => {
    const schema = schemaNamed(kind, name)
    if (schema !== undefined)
      return isValues(member)
        ? Object.entries(member).flatMap(([part, inner]) =>
            spread(kind, verb, { [`${schema.id}:${part}`]: inner }, place)
          )
        : []
    const selected = name.includes("[") ? parsePath(kind, name) : undefined
    const path = selected === undefined ? attributeAt(kind, name) : selected.ok ? selected.value : undefined
    if (path === undefined || path.attribute.mutability === "readOnly") return []
    return [{ verb, path: { filter: undefined, ...path }, value: member, place: `${place}.value` }]
  })

const readStep = (
  kind: ResourceKind,
  sent: unknown,
  place: string
): Result.Result<readonly PatchStep[], BadRequest> => {
  if (!isValues(sent)) return problem("invalid_request", place, "Expected an object")
  const op = memberOf(sent, "op")
  const verb = (["add", "replace", "remove"] as const).find((one) => typeof op === "string" && op.toLowerCase() === one)
  if (verb === undefined) return problem("invalid_request", `${place}.op`, "Expected add, replace or remove")
  const value = memberOf(sent, "value")
  const text = memberOf(sent, "path")
  if (verb !== "remove" && value === undefined) return problem("invalid_request", `${place}.value`, "Expected a value")
  if (text === undefined || text === null || text === "") {
    if (verb === "remove") return problem("no_such_value", `${place}.path`, "Expected a path to remove")
    if (!isValues(value)) return problem("invalid_request", `${place}.value`, "Expected an object of attributes")
    return Result.succeed(spread(kind, verb, value, place))
  }
  if (typeof text !== "string") return problem("invalid_attribute_path", `${place}.path`, "Expected a string")
  if (schemaNamed(kind, text) !== undefined && isValues(value) && verb !== "remove")
    return Result.succeed(spread(kind, verb, { [text]: value }, place))
  const path = parsePath(kind, text)
  if (!path.ok)
    return problem(text.includes("[") ? "invalid_filter" : "invalid_attribute_path", `${place}.path`, path.message)
  const isReadOnly = [path.value.attribute, path.value.sub].some((attribute) => attribute?.mutability === "readOnly")
  if (isReadOnly) return problem("read_only_attribute", `${place}.path`, "Only the server sets this attribute")
  return Result.succeed([{ verb, path: path.value, value, place }])
}

/** In slices, because the paths of a body may be long to read. */
export const readPatch = (kind: ResourceKind, body: Values): Effect.Effect<readonly PatchStep[], BadRequest> =>
  Effect.flatMap(inSlices(stepsIn(kind, body)), Effect.fromResult)

/** The operations, one at a time. */
export function* stepsIn(
  kind: ResourceKind,
  body: Values
): Generator<void, Result.Result<readonly PatchStep[], BadRequest>> {
  const operations = memberOf(body, "operations")
  if (!Array.isArray(operations) || operations.length === 0)
    return problem("invalid_request", "Operations", "Expected a list of operations")
  if (operations.length > scimLimits.patchOperations)
    return problem("invalid_request", "Operations", `Expected at most ${scimLimits.patchOperations} operations`)
  const steps: PatchStep[] = []
  for (const [index, sent] of operations.entries()) {
    const read = readStep(kind, sent, `Operations.${index}`)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    steps.push(...read.success)
    // An operation without a path is one for each attribute.
    if (steps.length > scimLimits.patchOperations)
      return problem("invalid_request", "Operations", `Expected at most ${scimLimits.patchOperations} operations`)
    yield
  }
  return Result.succeed(steps)
}
