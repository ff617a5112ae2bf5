/** Holds a store to ending every way to a key of a user in a workspace together with the membership there. Rule: scim#memberships. */
import {
  type Acting,
  Acts,
  ApiKeys,
  auditExamined,
  AuditLog,
  AuthorizationCodes,
  DirectoryGroups,
  DirectoryUsers,
  FederationPolicies,
  GroupMappings,
  type StorePorts,
  WorkspaceMembers,
  Workspaces,
  newApiKey,
  sealChanges
} from "@gatewarden/core/internal"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  at,
  directoryGroupOf,
  directoryUserOf,
  federationPolicyIn,
  grantOf,
  mappingOf,
  prepare as prepareAccount,
  settling
} from "../../stores/accountFixture.ts"

const later = "2026-03-04T12:10:00.000Z"
const rounds = 24

const acting: Acting = {
  actor: { type: "user", id: "ada" },
  operation: "patchDirectoryGroup",
  request_id: "a request",
  at
}

/** A code and a policy that give a user keys in a workspace. */
const ways = Effect.fnUntraced(function* (account_id: string, workspace_id: string, user_id: string) {
  const [keys, codes, policies] = [yield* ApiKeys, yield* AuthorizationCodes, yield* FederationPolicies]
  const [grant, policy] = [grantOf(account_id, workspace_id), federationPolicyIn(workspace_id)]
  yield* codes.insert({ ...grant, user_id }, 600_000)
  yield* policies.insert(account_id, { ...policy, user_id })
  const fresh = Effect.map(
    newApiKey({ kind: "normal", account_id, workspace_id, user_id, name: "key", expires_at: later }),
    ({ record }) => record
  )
  const [spent, issued] = [yield* fresh, yield* fresh]
  return {
    code: grant.code_hash,
    policy: policy.id,
    giving: [
      codes.spend(grant.code_hash, spent),
      policies.issue(issued, { policy_id: policy.id, use_id: crypto.randomUUID(), ends_at: later })
    ] as readonly Effect.Effect<unknown>[],
    /** The code can be spent, the policy is enabled, and how many of their keys are live. */
    state: Effect.gen(function* () {
      const hashes = [spent.hash, issued.hash]
      return {
        code: Option.isSome(yield* codes.find(grant.code_hash)),
        policy: !Option.getOrThrow(yield* policies.find(account_id, policy.id)).disabled,
        keys: (yield* keys.list(account_id, { hashes, disabled: false })).length
      }
    })
  }
})

/** Ann is in a group whose mapping makes her a member of the workspace. Somebody added her to a second one by hand. */
const prepare = Effect.gen(function* () {
  const { account_id, workspace, workspace_id } = yield* prepareAccount
  const [ann, group] = [directoryUserOf("ann"), directoryGroupOf("research")]
  const mapping = mappingOf(group.id, workspace_id)
  const [groups, mappings] = [yield* DirectoryGroups, yield* GroupMappings]
  yield* (yield* DirectoryUsers).insert(account_id, ann, settling)
  yield* groups.insert(account_id, group, [ann.id], settling)
  yield* mappings.insert(account_id, mapping, settling)
  const second = { ...workspace, id: crypto.randomUUID() as string, slug: "second" }
  yield* (yield* Workspaces).insert(account_id, { ...second, default_guardrail_id: crypto.randomUUID() })
  yield* (yield* WorkspaceMembers).add(account_id, second.id, [{ user_id: "ann", id: crypto.randomUUID() }], at)
  return {
    account_id,
    workspace_id,
    second: second.id,
    user: ann.id,
    ann: yield* ways(account_id, workspace_id, "ann"),
    leave: groups.update(account_id, group.id, { members: { all: [] } }, { ...settling, now: later }),
    unmap: (keep: boolean) => mappings.remove(account_id, mapping.id, keep, { ...settling, now: later })
  }
})

type Prepared = Effect.Success<typeof prepare>

const [open, ended] = [
  { code: true, policy: true, keys: 0 },
  { code: false, policy: false, keys: 0 }
]

type Run = <A, E>(effect: Effect.Effect<A, E, StorePorts>) => Promise<A>

export const leavingTests = (run: Run): void => {
  for (const [name, end] of Object.entries<(prepared: Prepared) => Effect.Effect<unknown>>({
    "leaves the group": ({ leave }) => leave,
    "loses the mapping": ({ unmap }) => unmap(false)
  }))
    it(`ends codes and policies of a user who ${name}, in this workspace alone`, () =>
      run(
        Effect.gen(function* () {
          const prepared = yield* prepare
          const { account_id, workspace_id, second, ann } = prepared
          const others = [yield* ways(account_id, second, "ann"), yield* ways(account_id, workspace_id, "bob")]
          yield* Effect.provideService(end(prepared), Acts, acting)
          assert.deepEqual(yield* ann.state, ended)
          for (const other of others) assert.deepEqual(yield* other.state, open)
          yield* Effect.all(ann.giving)
          assert.deepEqual(yield* ann.state, ended)
          yield* sealChanges(account_id)
          const { entries } = yield* (yield* AuditLog).list(
            account_id,
            {},
            { limit: 100, below: undefined, examined: auditExamined }
          )
          const told = entries.filter(
            ({ entity, actor }) => actor.id === "ada" && [ann.code, ann.policy].includes(entity)
          )
          assert.sameDeepMembers(
            told.map(({ noun, action, entity, operation }) => ({ noun, action, entity, operation })),
            [
              { noun: "authorization_code", action: "delete", entity: ann.code, operation: "patchDirectoryGroup" },
              { noun: "federation_policy", action: "update", entity: ann.policy, operation: "patchDirectoryGroup" }
            ]
          )
        })
      ))

  for (const [name, stay] of Object.entries<(prepared: Prepared) => Effect.Effect<unknown, never, StorePorts>>({
    // The membership counts as added by hand from then on.
    "keeps the membership when the mapping ends, and leaves the group": ({ unmap, leave }) =>
      Effect.andThen(unmap(true), leave),
    "has the membership from another group, too": ({ account_id, workspace_id, user, leave }) =>
      Effect.gen(function* () {
        const other = directoryGroupOf("other")
        yield* (yield* DirectoryGroups).insert(account_id, other, [user], settling)
        yield* (yield* GroupMappings).insert(account_id, mappingOf(other.id, workspace_id), settling)
        yield* leave
      })
  }))
    it(`leaves codes and policies to a user who ${name}`, () =>
      run(
        Effect.gen(function* () {
          const prepared = yield* prepare
          yield* stay(prepared)
          assert.deepEqual(yield* prepared.ann.state, open)
        })
      ))

  it("leaves no key to a user who leaves a group while keys are given", () =>
    run(
      Effect.gen(function* () {
        for (let round = 0; round < rounds; round++) {
          const { leave, ann } = yield* prepare
          const all = ann.giving.toSpliced(round % (ann.giving.length + 1), 0, leave)
          yield* Effect.all(all, { concurrency: "unbounded" })
          const { keys, policy } = yield* ann.state
          assert.deepEqual({ keys, policy }, { keys: 0, policy: false })
        }
      })
    ))
}
