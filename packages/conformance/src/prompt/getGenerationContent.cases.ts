import { assert } from "@effect/vitest"
import { ask, openMarket, report, restrict } from "../admission/admissionWorld.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { content, logged, logging, question } from "./loggedRequests.ts"

type Fields = Readonly<Record<string, unknown>>

/** A request with these fields, and what is answered of it. */
const reads = (name: string, fields: Fields, expected: object): Case => ({
  name,
  status: 200,
  run: async (world) => {
    await logging(world)
    await logged(world, { id: "gen-1", ...fields })
    return content(world, "gen-1")
  },
  check: ({ json }) => assert.deepEqual(json.data, { error: null, ...expected })
})

/** The answer for what is not kept, as for what there never was. */
const isNothing: NonNullable<Case["check"]> = async (answer, world) => {
  reasonIs("not_found")(answer)
  const unknown = await content(world, "never")
  const without = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "")
  assert.strictEqual(without(answer.text), without(unknown.text))
}

const keepsNothing = (name: string, prepare: (world: World) => Promise<unknown>, fields: Fields = {}): Case => ({
  name,
  status: 404,
  run: async (world) => {
    await prepare(world)
    await logged(world, { id: "gen-1", ...fields })
    assert.strictEqual((await world.call("getGeneration", { query: { id: "gen-1" } })).status, 200)
    return content(world, "gen-1")
  },
  check: isNothing
})

const numericId = async (world: World): Promise<number> =>
  (await world.call("getKey", { params: { hash: world.normalKeyHash } })).json.data.numeric_id

const restrictedKey = async (world: World, restrictions: object): Promise<string> =>
  (await world.call("createManagementKey", { body: { name: "made", restrictions } })).json.key

/** Admits a request that the fields describe, settles it with bodies, and asks for them. */
const settled = async (world: World, fields: Fields) => {
  const { sonnet } = await openMarket(world)
  const asked = await ask(world, { model: sonnet, prompt_tokens: 1, ...fields })
  assert.strictEqual(asked.json.data.decision, "allow", asked.text)
  const { id } = asked.json.data
  const answer = await world.call("settleAdmission", {
    params: { id },
    body: report(world, "0.1", { input: question, output: "42" })
  })
  assert.strictEqual(answer.status, 200, answer.text)
  return content(world, id)
}

export const getGenerationContent: CasesOf = {
  operation: "getGenerationContent",
  cases: [
    reads("messages and a text", {}, { input: question, output: { completion: "42", reasoning: null } }),
    reads(
      "a prompt",
      { input: "Six by seven?" },
      {
        input: { prompt: "Six by seven?" },
        output: { completion: "42", reasoning: null }
      }
    ),
    reads(
      "a chat completion that reasons",
      {
        input: { model: "m", system: "Be brief.", messages: question.messages },
        output: {
          choices: [{ message: { role: "assistant", content: "42", reasoning: "6 * 7" }, finish_reason: "stop" }]
        }
      },
      {
        input: { messages: [{ role: "system", content: "Be brief." }, ...question.messages] },
        output: { completion: "42", reasoning: "6 * 7" }
      }
    ),
    reads(
      "an output without an input, which calls a tool",
      {
        input: undefined,
        output: { choices: [{ message: { tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] } }] }
      },
      {
        input: { messages: [] },
        output: { completion: '{"type":"tool_call","id":"c","name":"f","arguments":{}}', reasoning: null }
      }
    ),
    {
      name: "an admitted request",
      status: 200,
      run: async (world) => {
        await logging(world)
        return settled(world, {})
      },
      check: ({ json }) => assert.deepEqual(json.data.input, question)
    },
    {
      name: "of the keys that are listed",
      status: 200,
      run: async (world) => {
        await logging(world, { io_logging_api_key_ids: [1, await numericId(world)] })
        await logged(world, { id: "gen-1" })
        return content(world, "gen-1")
      }
    },
    {
      name: "what was kept before the workspace stopped to keep",
      status: 200,
      run: async (world) => {
        await logging(world)
        await logged(world, { id: "gen-1" })
        await logging(world, { is_observability_io_logging_enabled: false })
        return content(world, "gen-1")
      }
    },
    {
      name: "a repetition changes nothing",
      status: 200,
      run: async (world) => {
        await logging(world)
        await logged(world, { id: "gen-1" }, { id: "gen-1", input: "changed" })
        await logged(world, { id: "gen-1", input: "changed again" })
        return content(world, "gen-1")
      },
      check: ({ json }) => assert.deepEqual(json.data.input, question)
    },
    {
      name: "a restricted key whose resources name prompts",
      status: 200,
      run: async (world) => {
        const key = await restrictedKey(world, { access: "read", resources: ["prompts"] })
        await logging(world)
        await logged(world, { id: "gen-1" })
        return content(world, "gen-1", key)
      }
    },
    {
      name: "a restricted key for every kind of thing",
      status: 403,
      run: async (world) => content(world, "gen-1", await restrictedKey(world, { access: "read" })),
      check: reasonIs("restricted_key")
    },
    {
      name: "a restricted key for analytics",
      status: 403,
      run: async (world) => content(world, "gen-1", await restrictedKey(world, { resources: ["analytics"] })),
      check: reasonIs("restricted_key")
    },
    keepsNothing("a workspace that keeps none, as all do at first", async () => undefined),
    keepsNothing("a workspace that keeps no more", async (world) => {
      await logging(world)
      await logging(world, { is_observability_io_logging_enabled: false })
    }),
    keepsNothing("a request without bodies", logging, { input: undefined, output: undefined }),
    keepsNothing("another key than those listed", (world) => logging(world, { io_logging_api_key_ids: [1] })),
    keepsNothing("no key is listed", (world) => logging(world, { io_logging_api_key_ids: [] })),
    keepsNothing("no key, whose guardrails nobody knows", logging, { api_key_hash: undefined }),
    keepsNothing("a key that nobody made", logging, { api_key_hash: "f".repeat(64) }),
    keepsNothing("a guardrail enforces that one vendor retains nothing", async (world) => {
      await logging(world)
      assert.strictEqual((await restrict(world, { enforce_zdr_anthropic: true })).status, 200)
    }),
    {
      name: "an admitted request that asks that nothing is retained",
      status: 404,
      run: async (world) => {
        await logging(world)
        return settled(world, { provider: { zdr: true } })
      },
      check: isNothing
    },
    {
      name: "a workspace that was deleted",
      status: 404,
      run: async (world) => {
        const { id } = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data
        await world.call("updateWorkspace", { params: { id }, body: { is_observability_io_logging_enabled: true } })
        const { hash } = (await world.call("createKey", { body: { name: "of it", workspace_id: id } })).json.data
        await logged(world, { id: "gen-1", workspace_id: id, api_key_hash: hash })
        assert.strictEqual((await content(world, "gen-1")).status, 200)
        await world.call("deleteKey", { params: { hash } })
        await world.call("deleteWorkspace", { params: { id } })
        return content(world, "gen-1")
      },
      check: isNothing
    },
    {
      name: "another account's request",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        await logging(other)
        await logged(other, { id: "gen-1" })
        assert.strictEqual((await content(other, "gen-1")).status, 200)
        return content(world, "gen-1")
      },
      check: isNothing
    },
    refused("getGenerationContent", "no id", {}, { path: "query.id" }),
    refused("getGenerationContent", "an id that is too long", { query: { id: "x".repeat(129) } }, { path: "query.id" }),
    ...managementOnly("getGenerationContent", () => ({ query: { id: "gen-1" } })),
    storeGone("Generations", 500, (world) => content(world, "gen-1"))
  ]
}
