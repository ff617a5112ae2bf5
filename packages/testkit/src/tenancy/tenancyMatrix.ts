/**
 * Every operation, with things of others and with each kind of key.
 *
 * What another account has, what was deleted and what never was are answered alike, so that nobody learns what others have: the same
 * status and the same body but for the request id.
 *
 * Rule: errors#resources-of-other-accounts, access#kinds-of-keys.
 */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { World } from "@gatewarden/conformance/internal/World"
import { accessCases, managementOnly } from "@gatewarden/conformance/internal/http/Case"
import { answeredAlike, namesOf, nothingFor, prepared, type TenancyCase } from "./answeredAlike.ts"
import { foreignFields, nameOf, nobodysName } from "./foreignNames.ts"
import { restrictedKeyCases } from "./restrictedKeys.ts"

const shapes: readonly (OperationShape & { readonly id: OperationId })[] = operations

/** A key that `world` may call the operation with. */
const keyOf = ({ access }: OperationShape, world: World): string | null =>
  access === "anyone" ? null : access === "anyKey" ? world.normalKey : world.managementKey

/** Names in paths that the account gives to what the operation creates. */
const creating: ReadonlySet<OperationId> = new Set([
  "createPreset",
  "createPresetFromMessages",
  "createPresetFromResponses"
])

/** Models belong to the installation, and what SCIM is made of to nobody. */
const isForAll = (path: string): boolean =>
  ["/:author", "/scim/v2/Schemas", "/scim/v2/ResourceTypes"].some((part) => path.includes(part))

const namesThings = ({ id, path }: (typeof shapes)[number]): boolean =>
  path.includes("/:") && !isForAll(path) && !creating.has(id)

/** A stranger names what another account has. */
const ofAnotherAccount = shapes.filter(namesThings).map((operation): TenancyCase => ({
  name: `${operation.id}: of another account`,
  holds: async (world) => {
    const theirs = await prepared(operation, await world.other())
    // The keys are looked at before the guardrail: they are the caller's own, so that only the path is another's.
    const body = operation.id === "assignKeys" ? { key_hashes: [world.normalKeyHash] } : theirs.body
    const call = { ...theirs, ...(body === undefined ? {} : { body }), key: keyOf(operation, world) }
    const params = nothingFor(theirs.params ?? {})
    answeredAlike(
      { answer: await world.call(operation.id, call), names: namesOf(theirs) },
      { answer: await world.call(operation.id, { ...call, params }), names: Object.values(params) },
      404
    )
  }
}))

/** How a thing of each kind ends, by the start of the paths that name it. */
const ends: readonly (readonly [path: string, end: OperationId])[] = [
  ["/observability/destinations/:id", "deleteDestination"],
  ["/gateway/alert-channels/:id", "deleteAlertChannel"],
  ["/guardrails/:id", "deleteGuardrail"],
  ["/byok/:id", "deleteByokCredential"],
  ["/gateway/federation-policies/:id", "deleteFederationPolicy"],
  ["/scim/v2/Groups/:id", "deleteDirectoryGroup"],
  ["/scim/v2/Users/:id", "deleteDirectoryUser"],
  ["/workspaces/:id", "deleteWorkspace"],
  ["/files/:file_id", "deleteFile"],
  ["/keys/:hash", "deleteKey"],
  ["/gateway/keys/:hash", "deleteKey"]
]

const wasDeleted = shapes.flatMap((operation): readonly TenancyCase[] => {
  const end = ends.find(([path]) => operation.path.startsWith(path))?.[1]
  // The file that gives its content lies with a provider, in the name of a key.
  if (end === undefined || operation.id === "getFileContent") return []
  return [
    {
      name: `${operation.id}: deleted`,
      holds: async (world) => {
        const call = { ...(await prepared(operation, world)), key: world.managementKey }
        const params = call.params ?? {}
        const ended = await world.call(end, { params, key: world.managementKey })
        assert.isBelow(ended.status, 300, ended.text)
        const never = nothingFor(params)
        answeredAlike(
          { answer: await world.call(operation.id, call), names: Object.values(params) },
          { answer: await world.call(operation.id, { ...call, params: never }), names: Object.values(never) },
          404
        )
      }
    }
  ]
})

/** A request that names another account's thing in its query or body is answered as if there were no such thing. */
const namedByFields = foreignFields.map(({ operation, field, named, call }): TenancyCase => ({
  name: `${operation}: ${field} of another account`,
  holds: async (world) => {
    const other = await world.other()
    const theirs = await nameOf(named, other)
    const never = nobodysName[named]
    // Two accounts that are alike, so that neither request meets what the other did.
    const [first, second] = [await world.other(), await world.other()]
    const own = [first, second].flatMap((each) => [each.account_id, each.workspace_id, each.normalKeyHash])
    const one = await first.call(operation, await call(theirs, first))
    const two = await second.call(operation, await call(never, second))
    answeredAlike({ answer: one, names: [theirs, ...own] }, { answer: two, names: [never, ...own] })
  }
}))

const keysOfEachKind = shapes.flatMap((operation): readonly TenancyCase[] => {
  if (operation.access === "anyone") return []
  const cases = operation.access === "managementKey" ? managementOnly : accessCases
  return cases(operation.id, () => ({
    ...(operation.example.params === undefined ? {} : { params: operation.example.params })
  })).map(({ name, status, run, check }) => ({
    name: `${operation.id}: ${name}`,
    holds: async (world: World) => {
      const answer = await run(world)
      assert.strictEqual(answer.status, status, answer.text)
      await check?.(answer, world)
    }
  }))
})

/** Each row by itself, in an account of its own. */
export const tenancyMatrix: readonly TenancyCase[] = [
  ...ofAnotherAccount,
  ...wasDeleted,
  ...namedByFields,
  ...keysOfEachKind,
  ...restrictedKeyCases
]
