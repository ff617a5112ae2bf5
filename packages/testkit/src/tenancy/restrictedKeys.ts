/**
 * Every operation with restricted management keys: what the table says of an operation decides what such a key may.
 *
 * Rule: access#restricted-keys.
 */
import {
  type OperationId,
  operations,
  type OperationShape,
  resourceOf,
  resources,
  resourcesFor
} from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Call, metadataOf, type World } from "@gatewarden/conformance/internal/World"
import { answeredAlike, namesOf, nothingFor, prepared, type TenancyCase } from "./answeredAlike.ts"
import { foreignFields, nobodysName } from "./foreignNames.ts"

const shapes: readonly (OperationShape & { readonly id: OperationId })[] = operations
const withKeys = shapes.filter(({ access }) => access !== "anyone")

const restrictedKey = async (world: World, restrictions: object): Promise<string> => {
  const made = await world.call("createManagementKey", { body: { name: "restricted", restrictions } })
  assert.strictEqual(made.status, 200, made.text)
  return made.json.key
}

/** The restriction that refused a call; `undefined` when the call got further. */
const refusedBy = async (world: World, operation: OperationShape, id: OperationId, key: string) => {
  const { params, query } = operation.example
  const call: Call = { key, ...(params === undefined ? {} : { params }), ...(query === undefined ? {} : { query }) }
  const answer = await world.call(id, call)
  if (answer.status !== 403) return undefined
  const { reason, issues } = metadataOf(answer)
  return reason === "restricted_key" ? issues[0]?.code : undefined
}

const always = ({ id }: OperationShape): boolean => id === "getCurrentKey"

const reading = withKeys.map((operation): TenancyCase => ({
  name: `${operation.id}: a key that may only read`,
  holds: async (world) => {
    const key = await restrictedKey(world, { access: "read" })
    const expected = operation.unrestrictedOnly
      ? "restricted"
      : operation.namedResourceOnly
        ? "resources"
        : operation.changes === "nothing" || always(operation)
          ? undefined
          : "access"
    assert.strictEqual(await refusedBy(world, operation, operation.id, key), expected)
  }
}))

const ofOtherResources = withKeys.map((operation): TenancyCase => ({
  name: `${operation.id}: a key for everything else`,
  holds: async (world) => {
    const others = resources.filter((resource) => resource !== resourceOf(operation))
    const key = await restrictedKey(world, { resources: others })
    const expected = operation.unrestrictedOnly ? "restricted" : always(operation) ? undefined : "resources"
    assert.strictEqual(await refusedBy(world, operation, operation.id, key), expected)
  }
}))

const ofItsResource = withKeys.map((operation): TenancyCase => ({
  name: `${operation.id}: a key for nothing else`,
  holds: async (world) => {
    const key = await restrictedKey(world, { resources: [resourceOf(operation)] })
    const expected = operation.unrestrictedOnly
      ? "restricted"
      : operation.mintsKeys || operation.sendsCredentials
        ? "resources"
        : undefined
    assert.strictEqual(await refusedBy(world, operation, operation.id, key), expected)
  }
}))

const secondWorkspace = async (world: World): Promise<string> =>
  (await world.call("createWorkspace", { body: { name: "Apart", slug: "apart" } })).json.data.id

/** The key is for another workspace than the one in which everything is prepared. */
const ofAnotherWorkspace = withKeys.map((operation): TenancyCase => ({
  name: `${operation.id}: a key for another workspace`,
  holds: async (world) => {
    const mustName = operation.namedResourceOnly === true || operation.sendsCredentials === true
    const resources = mustName ? resourcesFor(operation) : null
    const key = await restrictedKey(world, { workspace_ids: [await secondWorkspace(world)], resources })
    const { workspaceOf } = operation
    if (operation.unrestrictedOnly || workspaceOf === undefined) {
      const expected = operation.unrestrictedOnly ? "restricted" : "workspace_ids"
      assert.strictEqual(await refusedBy(world, operation, operation.id, key), expected)
    } else if (workspaceOf !== "named" && workspaceOf !== "reached" && workspaceOf !== "none") {
      const theirs = { ...(await prepared(operation, world)), key }
      const params = nothingFor(theirs.params ?? {})
      answeredAlike(
        { answer: await world.call(operation.id, theirs), names: namesOf(theirs) },
        { answer: await world.call(operation.id, { ...theirs, params }), names: Object.values(params) },
        404
      )
    } else assert.isUndefined(await refusedBy(world, operation, operation.id, key))
  }
}))

/** Naming a workspace that the key does not reach is naming none. */
const namingAnotherWorkspace = foreignFields
  .filter(({ operation, named }) => named === "workspace" && workspaceIsNamed(operation))
  .map(({ operation, field, call }): TenancyCase => ({
    name: `${operation}: ${field} of a workspace that the key does not reach`,
    holds: async (world) => {
      const key = await restrictedKey(world, { workspace_ids: [await secondWorkspace(world)] })
      const [own, never] = [world.workspace_id, nobodysName.workspace]
      const one = await world.call(operation, { ...(await call(own, world)), key })
      const two = await world.call(operation, { ...(await call(never, world)), key })
      answeredAlike({ answer: one, names: [own] }, { answer: two, names: [never] })
      assert.isAtLeast(one.status, 400)
    }
  }))

function workspaceIsNamed(id: OperationId): boolean {
  return shapes.some((operation) => operation.id === id && operation.workspaceOf === "named")
}

export const restrictedKeyCases: readonly TenancyCase[] = [
  ...reading,
  ...ofOtherResources,
  ...ofItsResource,
  ...ofAnotherWorkspace,
  ...namingAnotherWorkspace
]
