/** What an operation promises, as a list of cases: at least one for each status that it declares. */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { type Answer, metadataOf, type World } from "../World.ts"

export interface Case {
  readonly name: string
  /** The status that the case produces. */
  readonly status: number
  readonly run: (world: World) => Promise<Answer>
  /** What else must hold of the answer, and of the world after it. */
  readonly check?: (answer: Answer, world: World) => void | Promise<void>
  /** Signs tokens of workloads with `node:crypto`, which a Worker does not have. */
  readonly signsTokens?: true
}

export interface CasesOf {
  readonly operation: OperationId
  readonly cases: readonly Case[]
}

/** Has the keys of a world looked up, so that a store that breaks from now on is met by the operation itself. */
export const rememberKeys = async (world: World): Promise<void> => {
  for (const key of [world.managementKey, world.normalKey, world.operatorKey, world.gatewayKey])
    await world.send("GET", "/workspaces/default", { key })
}

/** The case of a store that is gone: `port` breaks, the caller stays known. */
export const storeGone = (port: string, status: 500 | 503, run: Case["run"]): Case => ({
  name: `the store does not answer (${port})`,
  status,
  run: async (world) => {
    await rememberKeys(world)
    world.installation.faults.break(port)
    try {
      return await run(world)
    } finally {
      world.installation.faults.mend()
    }
  }
})

/** The case of a connection that breaks while `port` commits: nobody knows whether it did. */
export const outcomeUnknown = (port: string, run: Case["run"]): Case => ({
  name: `the connection breaks during a commit (${port})`,
  status: 500,
  run: async (world) => {
    await rememberKeys(world)
    world.installation.faults.doubt(port)
    try {
      return await run(world)
    } finally {
      world.installation.faults.mend()
    }
  },
  check: reasonIs("outcome_unknown")
})

const byId = new Map(operations.map((operation: OperationShape) => [operation.id, operation]))

/** 401 without a key, and 403 with a gateway key where it is not one of a data plane's operations. */
export const accessCases = (
  operation: OperationId,
  call: (world: World) => Parameters<World["call"]>[1]
): readonly Case[] => [
  { name: "no key", status: 401, run: async (world) => world.call(operation, { ...call(world), key: null }) },
  {
    name: "a key nobody made",
    status: 401,
    run: async (world) => world.call(operation, { ...call(world), key: "nobody-made-this-key" })
  },
  ...(byId.get(operation)?.gatewayKey
    ? []
    : [
        {
          name: "a gateway key",
          status: 403,
          run: async (world: World) => world.call(operation, { ...call(world), key: world.gatewayKey }),
          check: reasonIs("not_for_gateway_keys")
        }
      ])
]

/** The same, and 403 with an API key. */
export const managementOnly = (
  operation: OperationId,
  call: (world: World) => Parameters<World["call"]>[1]
): readonly Case[] => [
  ...accessCases(operation, call),
  {
    name: "an API key",
    status: 403,
    run: async (world) => world.call(operation, { ...call(world), key: world.normalKey }),
    check: reasonIs("management_key_required")
  }
]

/** 304 for the tag of the answer that the caller has. */
export const unchanged = (operation: OperationId): Case => ({
  name: "what the caller has already",
  status: 304,
  run: async (world) => {
    const etag = (await world.call(operation)).headers.get("etag") ?? ""
    assert.match(etag, /^"[0-9a-f]{64}"$/)
    return world.call(operation, { headers: { "if-none-match": etag } })
  },
  check: ({ text }) => assert.strictEqual(text, "")
})

/** That an answer is refused for `reason`. */
export const reasonIs =
  (reason: string) =>
  (answer: Answer): void =>
    assert.strictEqual(metadataOf(answer).reason, reason)

/** Every POST of a caller may be repeated. */
export const malformedIdempotencyKey = (
  operation: OperationId,
  params: Readonly<Record<string, string>> = {}
): Case => ({
  name: "a malformed Idempotency-Key",
  status: 400,
  run: (world) => world.call(operation, { params, headers: { "idempotency-key": "with space" } }),
  check: reasonIs("invalid_idempotency_key")
})

/** A body that breaks a rule: 400 with an issue at `path`, and `reason` if one is named. */
export const refused = (
  operation: OperationId,
  name: string,
  call: Parameters<World["call"]>[1],
  expected: { readonly path?: string; readonly reason?: string | undefined; readonly message?: string }
): Case => ({
  name,
  status: 400,
  run: (world) => world.call(operation, call),
  check: (answer) => {
    const metadata = metadataOf(answer)
    if (expected.reason !== undefined) assert.strictEqual(metadata.reason, expected.reason)
    if (expected.path !== undefined)
      assert.include(
        metadata.issues.map((issue) => issue.path),
        expected.path
      )
    if (expected.message !== undefined)
      assert.include(
        metadata.issues.map((issue) => issue.message),
        expected.message
      )
  }
})
