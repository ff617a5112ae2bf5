/** What a restricted key whose resources do not name `prompts` does with patterns. Rule: guardrails#who-may-set-patterns. */
import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../http/Case.ts"
import { restrictedKey } from "../destination/updateDestination/withoutPrompts.ts"
import type { Answer, World } from "../World.ts"

const restrictions: Readonly<Record<string, (world: World) => object>> = {
  "a key for guardrails": () => ({ resources: ["guardrails", "gateway"] }),
  "a key for a workspace": (world) => ({ workspace_ids: [world.workspace_id] })
}

const filter = { pattern: "pin is [0-4]", action: "flag", label: "[REDACTED]" }
const other = { ...filter, pattern: "pin is [5-9]" }

const refusedAt =
  (path: string) =>
  (answer: Answer): void => {
    reasonIs("restricted_key")(answer)
    assert.deepInclude(answer.json.error.metadata.issues[0], { path, code: "resources" })
  }

/** The filters of the guardrail, and those that the key sends. */
type Change = readonly [name: string, before: readonly object[] | null, sent: readonly object[] | null]

const refusedChanges: readonly Change[] = [
  ["a first pattern", null, [filter]],
  ["another pattern", [filter], [other]],
  ["another action", [filter], [{ ...filter, action: "block" }]],
  ["another label", [filter], [{ ...filter, label: "[PIN]" }]],
  ["one more pattern", [filter], [filter, other]],
  ["one pattern less", [filter, other], [filter]],
  ["the patterns in another order", [filter, other], [other, filter]]
]

const allowedChanges: readonly Change[] = [
  ["the patterns that are there", [filter, other], [filter, other]],
  ["a pattern that is there, without its label", [filter], [{ pattern: filter.pattern, action: "flag" }]],
  ["none where there is none", null, null],
  ["no more patterns", [filter], null]
]

const attempt = async (world: World, key: string, [, before, content_filters]: Change) => {
  const made = await world.call("createGuardrail", { body: { name: "One", content_filters: before } })
  assert.strictEqual(made.status, 200, made.text)
  const params = { id: made.json.data.id }
  const answer = await world.call("updateGuardrail", { key, params, body: { description: "sent", content_filters } })
  return { answer, made: made.json.data, stored: (await world.call("getGuardrail", { params })).json.data }
}

export const updateWithoutPrompts: readonly Case[] = Object.entries(restrictions).flatMap(
  ([whose, of]): readonly Case[] => [
    ...refusedChanges.map((change): Case => ({
      name: `${whose}, without prompts: ${change[0]}`,
      status: 403,
      run: async (world) => {
        const { answer, made, stored } = await attempt(world, await restrictedKey(world, of(world)), change)
        assert.deepEqual(stored, made)
        return answer
      },
      check: refusedAt("content_filters")
    })),
    ...allowedChanges.map((change): Case => ({
      name: `${whose}, without prompts: ${change[0]}`,
      status: 200,
      run: async (world) => {
        const { answer, stored } = await attempt(world, await restrictedKey(world, of(world)), change)
        assert.deepEqual(answer.json.data, stored)
        assert.strictEqual(stored.description, "sent")
        assert.deepEqual(stored.content_filters, change[2] === null ? null : change[1])
        return answer
      }
    })),
    {
      name: `${whose}, without prompts: a first pattern of the default guardrail`,
      status: 403,
      run: async (world) => {
        const key = await restrictedKey(world, of(world))
        const params = { id: world.default_guardrail_id }
        return world.call("updateGuardrail", { key, params, body: { content_filters: [filter] } })
      },
      check: refusedAt("content_filters")
    },
    {
      name: `${whose}, and for prompts`,
      status: 200,
      run: async (world) => {
        const key = await restrictedKey(world, { ...of(world), resources: ["guardrails", "prompts"] })
        for (const change of refusedChanges) {
          const { answer } = await attempt(world, key, change)
          assert.strictEqual(answer.status, 200, answer.text)
          assert.deepEqual(answer.json.data.content_filters, change[2])
        }
        return (await attempt(world, key, ["", null, null])).answer
      }
    }
  ]
)

export const createWithoutPrompts: readonly Case[] = Object.entries(restrictions).flatMap(
  ([whose, of]): readonly Case[] => {
    const create = async (world: World, content_filters: unknown, more: object = {}) =>
      world.call("createGuardrail", {
        key: await restrictedKey(world, { ...of(world), ...more }),
        body: { name: "One", content_filters }
      })
    return [
      {
        name: `${whose}, without prompts: a pattern`,
        status: 403,
        run: (world) => create(world, [filter]),
        check: refusedAt("content_filters")
      },
      { name: `${whose}, without prompts: no pattern`, status: 200, run: (world) => create(world, null) },
      {
        name: `${whose}, and for prompts: a pattern`,
        status: 200,
        run: (world) => create(world, [filter], { resources: ["guardrails", "prompts"] })
      }
    ]
  }
)

const explain = async (world: World, resources: readonly string[], patch: object) =>
  world.call("createExplanation", {
    key: await restrictedKey(world, { resources }),
    body: { api_key_hash: world.normalKeyHash, model: "acme/sonnet", guardrail: { scope: "key", patch } }
  })

export const explainWithoutPrompts: readonly Case[] = [
  {
    name: "a key for the gateway, without prompts: a pattern",
    status: 403,
    run: (world) => explain(world, ["gateway"], { content_filters: [filter] }),
    check: refusedAt("guardrail.patch.content_filters")
  },
  {
    name: "a key for the gateway, without prompts: no more patterns",
    status: 200,
    run: (world) => explain(world, ["gateway"], { content_filters: null, limit_usd: 1, reset_interval: "daily" })
  },
  {
    name: "a key for the gateway and prompts: a pattern",
    status: 200,
    run: (world) => explain(world, ["gateway", "prompts"], { content_filters: [filter] })
  }
]
