/**
 * What a PATCH changes in a group. Members are never read: the operations come to who joins and who leaves, in whatever order they are
 * united with those of others.
 *
 * Rule: scim#patches.
 */
import { Result } from "effect"
import { BadRequest, invalid } from "../value/failure.ts"
import type { GroupChange, MembersChange } from "../ports/directory.ts"
import { readNames } from "./directoryUserOf.ts"
import type { Filter } from "./scim/Filter.ts"
import { Issues, readValue } from "./scim/readResource.ts"
import type { PatchStep } from "./scim/readPatch.ts"
import { isValues, type Values } from "./scim/ResourceKind.ts"
import { patchResource } from "./scim/patchResource.ts"

/** The users that `members[value eq "…" or …]` selects; undefined where it selects otherwise. */
const selected = (filter: Filter): readonly string[] | undefined => {
  if (filter.kind === "or") {
    const all = filter.filters.map(selected)
    return all.includes(undefined) ? undefined : all.flatMap((ids) => ids ?? [])
  }
  if (filter.kind !== "compare" || filter.comparison !== "eq" || filter.path.attribute.name !== "value")
    return undefined
  return typeof filter.value === "string" ? [filter.value] : undefined
}

/** The ids in a list of members. */
export const memberIds = (members: unknown): readonly string[] =>
  (Array.isArray(members) ? members : []).flatMap((member) =>
    isValues(member) && typeof member["value"] === "string" ? [member["value"].toLowerCase()] : []
  )

/** Who joins and who leaves, as the operations come. */
class Joining {
  #all = false
  readonly #add = new Set<string>()
  readonly #remove = new Set<string>()

  replace(ids: readonly string[]): void {
    this.#all = true
    this.#remove.clear()
    this.#add.clear()
    this.add(ids)
  }

  add(ids: readonly string[]): void {
    for (const id of ids) {
      this.#add.add(id)
      this.#remove.delete(id)
    }
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.#add.delete(id)
      this.#remove.add(id)
    }
  }

  get change(): MembersChange | undefined {
    if (this.#all) return { all: [...this.#add] }
    if (this.#add.size + this.#remove.size === 0) return undefined
    return { add: [...this.#add], remove: [...this.#remove] }
  }
}

const applyMembers = ({ verb, path, value, place }: PatchStep, joining: Joining): Result.Result<void, BadRequest> => {
  if (path.sub !== undefined)
    return Result.fail(invalid("invalid_attribute_path", `${place}.path`, "Members are added and removed as a whole"))
  if (path.filter !== undefined) {
    const ids = selected(path.filter)?.map((id) => id.toLowerCase())
    if (ids === undefined || verb === "replace")
      return Result.fail(invalid("invalid_filter", `${place}.path`, 'Expected members[value eq "…"] to remove'))
    return Result.succeed(verb === "remove" ? joining.remove(ids) : joining.add(ids))
  }
  const issues = new Issues()
  const ids = memberIds(readValue(path.attribute, value, place, issues))
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  if (verb === "add") return Result.succeed(joining.add(ids))
  // Removed without a value, all of them are.
  const isAll = verb === "replace" || value === undefined || value === null
  return Result.succeed(isAll ? joining.replace(verb === "replace" ? ids : []) : joining.remove(ids))
}

/** `current` are the names of the group, which PATCH may change. */
export const readGroupPatch = (
  current: Values,
  steps: readonly PatchStep[]
): Result.Result<GroupChange, BadRequest> => {
  const joining = new Joining()
  let resource = current
  for (const step of steps) {
    if (step.path.attribute.name === "members") {
      const applied = applyMembers(step, joining)
      if (Result.isFailure(applied)) return Result.fail(applied.failure)
      continue
    }
    const next = patchResource(resource, [step])
    if (Result.isFailure(next)) return Result.fail(next.failure)
    resource = next.success
  }
  const issues = new Issues()
  const names = readNames(resource, "displayName", issues)
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  const members = joining.change
  return Result.succeed({
    ...(resource["displayName"] === current["displayName"] ? {} : { display_name: names.name }),
    ...(resource["externalId"] === current["externalId"] ? {} : { external_id: names.external_id }),
    ...(members === undefined ? {} : { members })
  })
}
