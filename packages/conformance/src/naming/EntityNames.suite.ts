/** Holds a store to the names that it tells: those of now, of what is there, and of one account. Rule: requests#names-beside-ids. */
import { EntityNames, mostNamed, type NamedKind, type StorePorts } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { at, furnish, now, ports, prepare } from "../stores/accountFixture.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const kinds: readonly NamedKind[] = ["key", "guardrail", "workspace", "destination"]

export const entityNamesSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`Names of entities: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)

    it("are those of now, with the workspace of each", () =>
      run(
        Effect.gen(function* () {
          const { keys, guardrails, workspaces, destinations } = yield* ports
          const names = yield* EntityNames
          const { account_id, workspace, hash, guardrail, destination } = yield* furnish(yield* prepare)
          const workspace_id = workspace.id
          const named = (kind: NamedKind, id: string) => Effect.map(names.of(account_id, kind, [id]), (all) => [...all])
          yield* keys.update(account_id, hash, { name: "renamed key", disabled: true }, at)
          yield* guardrails.update(account_id, guardrail, { name: "renamed guardrail" }, at)
          yield* workspaces.update(account_id, workspace_id, { name: "renamed workspace" }, at)
          yield* destinations.update(account_id, destination, { name: "renamed destination" }, undefined, at)
          for (const [kind, id] of [
            ["key", hash],
            ["guardrail", guardrail],
            ["workspace", workspace_id],
            ["destination", destination]
          ] as const)
            assert.deepEqual(yield* named(kind, id), [[id, { name: `renamed ${kind}`, workspace_id }]])
          yield* destinations.update(account_id, destination, { name: null }, undefined, at)
          assert.deepEqual(yield* named("destination", destination), [])
          yield* destinations.remove(account_id, destination)
          assert.deepEqual(yield* named("destination", destination), [])
          yield* guardrails.remove(account_id, guardrail)
          assert.deepEqual(yield* named("guardrail", guardrail), [])
        })
      ))

    it("are absent of what nobody has, of another kind and of any other text", () =>
      run(
        Effect.gen(function* () {
          const names = yield* EntityNames
          const { account_id, workspace, hash } = yield* prepare
          const texts = ["", "x", "{}", '","', crypto.randomUUID(), "monthly", "f".repeat(64)]
          for (const kind of kinds) {
            const others = kind === "key" ? [workspace.id] : [hash]
            assert.deepEqual([...(yield* names.of(account_id, kind, [...texts, ...others]))], [], kind)
            assert.deepEqual([...(yield* names.of(account_id, kind, []))], [], kind)
          }
          const ids = Array.from({ length: mostNamed - 1 }, () => crypto.randomUUID())
          const found = yield* names.of(account_id, "workspace", [...ids, workspace.id])
          assert.deepEqual([...found.keys()], [workspace.id])
        })
      ))
  })
}
