/**
 * Applies a PATCH to the attributes of a resource: all operations, or none.
 *
 * Rule: scim#patches. Source: RFC 7644 3.5.2.
 */
import { type ScimAttribute, scimLimits } from "@gatewarden/contract/internal"
import { Equal, Result } from "effect"
import { BadRequest, invalid } from "../../value/failure.ts"
import { comparisonsIn } from "./lookUps.ts"
import { type Filter, matchesFilter } from "./Filter.ts"
import type { PatchStep } from "./readPatch.ts"
import { Issues, readValue, withOnePrimary } from "./readResource.ts"
import { isValues, type Values } from "./ResourceKind.ts"

type Patched = Result.Result<unknown, BadRequest>

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) ? value.length === 0 : isValues(value) && Object.keys(value).length === 0)

/** The object with a member set, or without it where the value is none. */
const withMember = (object: Values, name: string, value: unknown): Values => {
  const { [name]: _, ...rest } = object
  return isEmpty(value) ? rest : { ...rest, [name]: value }
}

/** The value that a selection describes, if it only says what is equal: `[type eq "work"]`. */
const described = (filter: Filter): Values | undefined => {
  if (filter.kind === "and") {
    const parts = filter.filters.map(described)
    return parts.includes(undefined) ? undefined : Object.assign({}, ...parts)
  }
  if (filter.kind !== "compare" || filter.comparison !== "eq" || filter.value === null) return undefined
  return { [filter.path.attribute.name]: filter.value }
}

/** The last of the changed values that is primary is the only one. */
const changedLast = (values: readonly unknown[], isChanged: (index: number) => boolean): readonly unknown[] => {
  const primary = values.findLastIndex(
    (value, index) => isChanged(index) && isValues(value) && value["primary"] === true
  )
  if (primary === -1) return withOnePrimary(values)
  return values.map((value, index) =>
    index !== primary && isValues(value) && value["primary"] === true ? { ...value, primary: false } : value
  )
}

const checked = (attribute: ScimAttribute, step: PatchStep): Result.Result<unknown, BadRequest> => {
  const issues = new Issues()
  const read = readValue(attribute, step.value, step.place, issues)
  return issues.found.length === 0
    ? Result.succeed(read)
    : Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
}

/** Of an attribute with several values: those that are selected, or all. */
const patchSelected = (current: readonly unknown[], step: PatchStep, filter: Filter): Patched => {
  const { verb, path } = step
  const { attribute, sub } = path
  const isSelected = current.map((value) => isValues(value) && matchesFilter(filter, value))
  if (verb === "remove")
    return Result.succeed(
      sub === undefined
        ? current.filter((_, index) => !isSelected[index])
        : current.map((value, index) =>
            isSelected[index] && isValues(value) ? withMember(value, sub.name, undefined) : value
          )
    )
  const read = checked(sub ?? { ...attribute, multiValued: false }, step)
  if (Result.isFailure(read)) return read
  const given: Values = sub === undefined ? (isValues(read.success) ? read.success : {}) : { [sub.name]: read.success }
  if (!isSelected.includes(true)) {
    // RFC 7644 refuses to replace what is not there; directories send it all the same, for an address that a user did not have yet.
    const made = described(filter)
    if (made === undefined)
      return Result.fail(invalid("no_such_value", `${step.place}.path`, "The resource has no such value"))
    const place = `${step.place}.path`
    const whole = checked({ ...attribute, multiValued: false }, { ...step, place, value: { ...made, ...given } })
    return Result.map(whole, (value) =>
      isEmpty(value) ? current : changedLast([...current, value], (index) => index === current.length)
    )
  }
  const isReplaced = verb === "replace" && sub === undefined
  const values = current.map((value, index) =>
    isSelected[index] && isValues(value) ? (isReplaced ? given : { ...value, ...given }) : value
  )
  return Result.succeed(changedLast(values, (index) => isSelected[index] === true))
}

const patchSeveral = (current: readonly unknown[], step: PatchStep): Patched => {
  const { verb, path, value } = step
  const { attribute, sub, filter } = path
  if (filter !== undefined) return patchSelected(current, step, filter)
  if (verb === "remove" && sub === undefined && isEmpty(value ?? undefined)) return Result.succeed(undefined)
  if (sub !== undefined) {
    const read = verb === "remove" ? Result.succeed(undefined) : checked(sub, step)
    if (Result.isFailure(read)) return read
    const values = current.length === 0 && verb !== "remove" ? [{}] : current
    return Result.succeed(values.map((each) => (isValues(each) ? withMember(each, sub.name, read.success) : each)))
  }
  const read = checked(attribute, step)
  if (Result.isFailure(read)) return read
  const given = Array.isArray(read.success) ? (read.success as readonly unknown[]) : []
  if (verb === "replace") return Result.succeed(given)
  const isGiven = (each: unknown) => given.some((one) => Equal.equals(one, each))
  // Values to remove may be named in the value.
  if (verb === "remove")
    return Result.succeed(
      current.filter(
        (each) =>
          !isGiven(each) &&
          !given.some(
            (one) => isValues(one) && isValues(each) && one["value"] !== undefined && one["value"] === each["value"]
          )
      )
    )
  const added = given.filter((one) => !current.some((each) => Equal.equals(one, each)))
  return Result.succeed(changedLast([...current, ...added], (index) => index >= current.length))
}

const patchSingle = (current: unknown, step: PatchStep): Patched => {
  const { verb, path } = step
  const { attribute, sub } = path
  if (sub !== undefined) {
    const read = verb === "remove" ? Result.succeed(undefined) : checked(sub, step)
    return Result.map(read, (value) => withMember(isValues(current) ? current : {}, sub.name, value))
  }
  if (verb === "remove") return Result.succeed(undefined)
  const read = checked(attribute, step)
  // Parts that are not named stay.
  return Result.map(read, (value) => (isValues(value) && isValues(current) ? { ...current, ...value } : value))
}

const applyStep = (resource: Values, step: PatchStep): Result.Result<Values, BadRequest> => {
  const { attribute, extension } = step.path
  const found = extension === undefined ? resource : resource[extension]
  const holder: Values = isValues(found) ? found : {}
  const current = holder[attribute.name]
  const patched = attribute.multiValued
    ? patchSeveral(Array.isArray(current) ? current : [], step)
    : patchSingle(current, step)
  return Result.flatMap(patched, (value) => {
    if (isEmpty(value) && attribute.required)
      return Result.fail(invalid("read_only_attribute", `${step.place}.path`, `${attribute.name} is required`))
    if (Array.isArray(value) && value.length > scimLimits.values)
      return Result.fail(
        invalid("invalid_request", `${step.place}.value`, `Expected at most ${scimLimits.values} values`)
      )
    const changed = withMember(holder, attribute.name, value)
    return Result.succeed(extension === undefined ? changed : withMember(resource, extension, changed))
  })
}

/**
 * What one PATCH may look at: values compared with a filter or with each other, and characters written. A step runs while the directory is
 * held, and within one turn of the process, so many small steps must not add up.
 */
const mostWork = 6_000
const charactersPerWork = 200

const termsOf = (filter: Filter | undefined): number => (filter === undefined ? 0 : [...comparisonsIn(filter)].length)

/** Values of an attribute times what each of them is compared with, and the size of what is read each time. */
const workOf = (resource: Values, { verb, path: { attribute, extension, filter }, value }: PatchStep): number => {
  const found = extension === undefined ? resource : resource[extension]
  const current = isValues(found) ? found[attribute.name] : undefined
  const values = Array.isArray(current) ? current.length : 1
  const given = Array.isArray(value) ? value.length : 1
  const characters = current === undefined ? 0 : JSON.stringify(current).length
  return (
    (values + given) * (1 + termsOf(filter)) +
    (verb === "replace" ? 0 : values * given) +
    (characters / charactersPerWork) * (1 + termsOf(filter))
  )
}

export const patchResource = (resource: Values, steps: readonly PatchStep[]): Result.Result<Values, BadRequest> => {
  let patched = resource
  let work = 0
  for (const step of steps) {
    work += workOf(patched, step)
    if (work > mostWork)
      return Result.fail(
        invalid(
          "invalid_request",
          step.place,
          "The operations compare too many values: send fewer of them in a request, with shorter filters"
        )
      )
    const next = applyStep(patched, step)
    if (Result.isFailure(next)) return next
    patched = next.success
  }
  return Result.succeed(patched)
}
