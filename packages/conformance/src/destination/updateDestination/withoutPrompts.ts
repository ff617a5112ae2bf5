/** What a restricted key whose resources do not name `prompts` may change. Rule: observability#who-may-send-bodies. */
import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../../http/Case.ts"
import type { World } from "../../World.ts"

/** Keys that may manage destinations, and may not read prompts. */
const restrictions: Readonly<Record<string, (world: World) => object>> = {
  "a key for observability": () => ({ resources: ["observability"] }),
  "a key for a workspace": (world) => ({ workspace_ids: [world.workspace_id] })
}

export const restrictedKey = async (world: World, restrictions: object): Promise<string> => {
  const made = await world.call("createManagementKey", { body: { name: "restricted", restrictions } })
  assert.strictEqual(made.status, 200, made.text)
  return made.json.key
}

const config = { url: "https://example.com/events", headers: { "x-team": "a" } }
const rules = { groups: [{ rules: [{ field: "model", operator: "exists" }] }] }
/** Whether an event passes tells what is in its body. */
export const searching = (field: "input" | "output", value = "code") => ({
  groups: [
    { rules: [{ field: "model", operator: "exists" }] },
    { logic: "or", rules: [{ field, operator: "contains", value }] }
  ]
})
const searched = { privacy_mode: true, filter_rules: searching("input") }

/** A change, of a destination that was created with these fields. */
type Change = readonly [name: string, before: object, change: object]

const off = { ...searched, filter_rules: { ...searching("input"), enabled: false } }

const refusedChanges: readonly Change[] = [
  ["privacy mode off", { privacy_mode: true }, { privacy_mode: false }],
  ["another host", {}, { config: { url: "https://attacker.example.com/", headers: { "x-team": "a" } } }],
  ["another path", {}, { config: { url: "https://example.com/other" } }],
  ["another header", {}, { config: { headers: { host: "attacker.example.com" } } }],
  ["enabling it", { enabled: false }, { enabled: true }],
  ["a larger sample", { sampling_rate: 0.5 }, { sampling_rate: 1 }],
  ["other filter rules", { filter_rules: rules }, { filter_rules: null }],
  ["other regions", { regions: ["us"] }, { regions: ["us", "global"] }],
  ["keys", {}, { api_key_hashes: "own" }],
  ["in privacy mode, rules of the input", { privacy_mode: true }, { filter_rules: searching("input") }],
  ["in privacy mode, rules of the output", { ...searched, filter_rules: rules }, { filter_rules: searching("output") }],
  ["in privacy mode, other rules of the input", searched, { filter_rules: searching("input", "key") }],
  ["in privacy mode, rules of the input that were off", off, { filter_rules: searching("input") }],
  ["in privacy mode with rules of the input, another path", searched, { config: { url: "https://example.com/other" } }],
  ["in privacy mode with rules of the input, enabling it", { ...searched, enabled: false }, { enabled: true }],
  ["in privacy mode with rules of the input, other regions", searched, { regions: ["us"] }],
  ["in privacy mode with rules of the input, its bodies too", searched, { privacy_mode: false }],
  ["privacy mode on, with rules of the input", {}, searched]
]

const allowedChanges: readonly Change[] = [
  [
    "its name, and what is as it was",
    {},
    { name: "Renamed", enabled: true, privacy_mode: false, sampling_rate: 1, config }
  ],
  ["disabling it", {}, { enabled: false }],
  [
    "privacy mode on, and another host",
    {},
    {
      privacy_mode: true,
      config: { url: "https://other.example.com/", headers: { "x-team": "b" } }
    }
  ],
  [
    "everything of one in privacy mode",
    { privacy_mode: true, enabled: false },
    {
      ...{ enabled: true, sampling_rate: 0.5, filter_rules: rules, regions: ["us"] },
      config: { url: "https://other.example.com/", headers: { "x-team": "b" } }
    }
  ],
  ["in privacy mode, no more rules of the input", searched, { filter_rules: rules, sampling_rate: 0.5 }],
  ["in privacy mode, rules of the input off", searched, { filter_rules: off.filter_rules }],
  ["in privacy mode with rules of the input, its name", searched, { name: "Renamed", ...searched, enabled: false }],
  ["privacy mode on, with the rules of the input that it has", { filter_rules: searching("input") }, searched]
]

const sent = (world: World, change: object) =>
  "api_key_hashes" in change ? { api_key_hashes: [world.normalKeyHash] } : change

const attempt = async (world: World, key: string, [, before, change]: Change) => {
  const made = await world.call("createDestination", { body: { type: "webhook", config, ...before } })
  assert.strictEqual(made.status, 200, made.text)
  const { id } = made.json.data
  const answer = await world.call("updateDestination", { key, params: { id }, body: sent(world, change) })
  return { answer, made: made.json.data, stored: (await world.call("getDestination", { params: { id } })).json.data }
}

export const withoutPrompts: readonly Case[] = Object.entries(restrictions).flatMap(([whose, of]): readonly Case[] => [
  ...refusedChanges.map((change): Case => ({
    name: `${whose}, without prompts: ${change[0]}`,
    status: 403,
    run: async (world) => {
      const { answer, made, stored } = await attempt(world, await restrictedKey(world, of(world)), change)
      assert.deepEqual(stored, made)
      return answer
    },
    check: reasonIs("restricted_key")
  })),
  ...allowedChanges.map((change): Case => ({
    name: `${whose}, without prompts: ${change[0]}`,
    status: 200,
    run: async (world) => (await attempt(world, await restrictedKey(world, of(world)), change)).answer
  })),
  {
    name: `${whose}, and for prompts`,
    status: 200,
    run: async (world) => {
      const key = await restrictedKey(world, { ...of(world), resources: ["observability", "prompts"] })
      for (const change of refusedChanges) {
        const { answer } = await attempt(world, key, [change[0], { name: change[0], ...change[1] }, change[2]])
        assert.strictEqual(answer.status, 200, answer.text)
        await world.call("deleteDestination", { params: { id: answer.json.data.id } })
      }
      return (await attempt(world, key, ["", {}, { name: "last" }])).answer
    }
  }
])
