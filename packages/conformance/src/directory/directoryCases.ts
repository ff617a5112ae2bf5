/** What the operations on users and on groups of a directory promise alike. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { type Case, managementOnly, reasonIs, storeGone } from "../http/Case.ts"
import type { Call, World } from "../World.ts"
import { newGroup, newUser, nobody } from "./directoryStates.ts"

type Body = Pick<Call, "body" | "query">

const make = { User: newUser, Group: (world: World) => newGroup(world) }

/** Whom an operation answers, and that it does not without its store. */
export const callers = (operation: OperationId, port: string, call: Call): readonly Case[] => [
  ...managementOnly(operation, () => call),
  storeGone(port, 500, (world) => world.call(operation, call))
]

/** 404 for what there is not, what is another account's, what was deleted, and what is no id. */
export const absent = (operation: OperationId, kind: keyof typeof make, call: Body = {}): readonly Case[] => {
  const of = (name: string, id: (world: World) => Promise<string>): Case => ({
    name,
    status: 404,
    run: async (world) => world.call(operation, { ...call, params: { id: await id(world) } }),
    check: reasonIs("not_found")
  })
  return [
    of(`a ${kind} nobody made`, async () => nobody),
    of(`a ${kind} of another account`, async (world) => (await make[kind](await world.other())).id),
    of(`a deleted ${kind}`, async (world) => {
      const { id } = await make[kind](world)
      await world.call(`deleteDirectory${kind}`, { params: { id } })
      return id
    }),
    of("no id", async () => "me")
  ]
}

/** 400 for a body, of this kind of error. */
export const scimRefused = (
  operation: OperationId,
  kind: keyof typeof make,
  name: string,
  body: unknown,
  scimType: string
): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const params = operation.startsWith("create") ? {} : { id: (await make[kind](world)).id as string }
    return world.call(operation, { params, body })
  },
  check: ({ json }) => {
    assert.strictEqual(json.scimType, scimType)
    assert.strictEqual(json.status, "400")
    assert.isString(json.detail)
  }
})
