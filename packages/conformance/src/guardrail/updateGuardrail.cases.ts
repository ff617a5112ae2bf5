import { assert } from "@effect/vitest"
import { metadataOf, type World } from "../World.ts"
import { manyNames, mostBytes, ownBytes } from "../limits/entityBytes.ts"
import { type CasesOf, managementOnly, reasonIs, storeGone } from "../http/Case.ts"
import { beyondReachCases } from "./beyondReach.ts"
import { updateWithoutPrompts } from "./withoutPrompts.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const made = async (world: World, fields: Record<string, unknown> = {}) => {
  const answer = await world.call("createGuardrail", { body: { name: "First", ...fields } })
  return answer.json.data
}

/** Creates a guardrail, turns the clock by a second, and updates it. */
const updating = (before: Record<string, unknown>, body: Record<string, unknown>) => async (world: World) => {
  const guardrail = await made(world, before)
  world.installation.clock.now += 1000
  return world.call("updateGuardrail", { params: { id: guardrail.id }, body })
}

const limited = { limit_usd: 5, reset_interval: "daily" }

export const updateGuardrail: CasesOf = {
  operation: "updateGuardrail",
  cases: [
    {
      name: "lists are replaced, null clears, absent stays",
      status: 200,
      run: updating(
        { allowed_models: ["a/one", "a/two"], ignored_models: ["a/three"], description: "kept" },
        { allowed_models: ["a/four", "a/four"], ignored_models: null }
      ),
      check: ({ json: { data } }) => {
        assert.deepInclude(data, {
          allowed_models: ["a/four"],
          ignored_models: null,
          description: "kept",
          name: "First"
        })
        assert.isTrue(data.updated_at > data.created_at)
      }
    },
    {
      name: "what is unscannable is blocked, and stays so where null says nothing",
      status: 200,
      run: async (world) => {
        const guardrail = await made(world, { content_filter_unscannable: null })
        assert.strictEqual(guardrail.content_filter_unscannable, "allow")
        const update = (body: Record<string, unknown>) =>
          world.call("updateGuardrail", { params: { id: guardrail.id }, body })
        world.installation.clock.now += 1000
        await update({ content_filter_unscannable: "block" })
        world.installation.clock.now += 1000
        return update({ content_filter_unscannable: null })
      },
      check: ({ json: { data } }, world) => {
        assert.strictEqual(data.content_filter_unscannable, "block")
        assert.strictEqual(Date.parse(data.updated_at), world.installation.clock.now - 1000)
      }
    },
    {
      name: "names that ignore nothing are told of the lists that the update sets",
      status: 200,
      run: updating({ ignored_models: ["acme/nowhere"] }, { ignored_providers: ["opneai"] }),
      check: ({ json: { data, warnings } }) => {
        assert.deepEqual(data.ignored_models, ["acme/nowhere"])
        assert.deepEqual(
          warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
          [["ignored_providers.0", "unknown_provider"]]
        )
      }
    },
    {
      name: "changed at once, each is what was asked for, an unknown one is nobody's and a default one keeps its name",
      status: 200,
      run: async (world) => {
        const guardrails = await Promise.all(
          Array.from({ length: 12 }, (_, index) => made(world, { name: `${index}` }))
        )
        const [first] = guardrails
        const kept = { params: { id: world.default_guardrail_id }, body: { description: "stored" } }
        assert.strictEqual((await world.call("updateGuardrail", kept)).status, 200)
        world.installation.clock.now += 1000
        const asked = (index: number) => ({
          name: `at once {"${index}"} \\ ä 😀`,
          description: index % 3 === 0 ? null : "x".repeat(index),
          limit_usd: index % 4 === 0 ? null : index + 0.000_000_001,
          reset_interval: index % 4 === 0 ? null : "weekly",
          allowed_models: index % 5 === 0 ? null : ["acme/large", `a "quoted", {model}/${index}`],
          content_filters:
            index % 2 === 0 ? null : [{ pattern: `a{${index}}"`, action: "redact", label: `[${index}]` }],
          content_filter_builtins: index % 6 === 0 ? null : [{ slug: "email", action: "block", label: "[EMAIL]" }],
          enforce_zdr_openai: index % 2 === 1
        })
        const change = (id: string, index: number) =>
          world.call("updateGuardrail", { params: { id }, body: asked(index) })
        // Those of one row come after each other, whatever goes together with them.
        const again = [12, 13, 14].map((index) => change(first.id, index))
        const foreign = change(nobody, 0)
        const renamed = change(world.default_guardrail_id, 1)
        const answers = await Promise.all(guardrails.map(({ id }, index) => change(id, index)))
        assert.strictEqual((await foreign).status, 404)
        assert.strictEqual((await renamed).json.error.metadata.reason, "default_guardrail_name")
        const repeated = await Promise.all(again)
        for (const [index, { status, json }] of [...answers, ...repeated].entries()) {
          assert.strictEqual(status, 200)
          assert.deepInclude(json.data, asked(index))
          assert.isTrue(json.data.updated_at > json.data.created_at)
        }
        for (const [index, { id }] of guardrails.entries()) {
          const { json } = await world.call("getGuardrail", { params: { id } })
          const changes = index === 0 ? [answers[0], ...repeated] : [answers[index]]
          assert.deepInclude(
            changes.map((answer) => answer?.json.data),
            json.data
          )
        }
        return change(first.id, 1)
      }
    },
    {
      name: "updated_at stays when nothing changes",
      status: 200,
      run: updating(
        { ...limited, allowed_providers: ["openai"] },
        { ...limited, allowed_providers: ["openai"], name: "First" }
      ),
      check: ({ json: { data } }) => assert.isNull(data.updated_at)
    },
    {
      name: "an empty body changes nothing",
      status: 200,
      run: updating({}, {}),
      check: ({ json: { data } }) => assert.isNull(data.updated_at)
    },
    {
      name: "null for a boolean is the same as absent",
      status: 200,
      run: updating(
        { enable_paid_model_training: false, include_byok_in_budgets: true },
        { enable_paid_model_training: null, include_byok_in_budgets: null }
      ),
      check: ({ json: { data } }) => {
        assert.deepInclude(data, { enable_paid_model_training: false, include_byok_in_budgets: true, updated_at: null })
      }
    },
    {
      name: "both null clears the limit",
      status: 200,
      run: updating(limited, { limit_usd: null, reset_interval: null }),
      check: ({ json: { data } }) => assert.deepInclude(data, { limit_usd: null, reset_interval: null })
    },
    {
      name: "a number with a null interval never resets",
      status: 200,
      run: updating(limited, { limit_usd: 0, reset_interval: null }),
      check: ({ json: { data } }) => assert.deepInclude(data, { limit_usd: 0, reset_interval: null })
    },
    {
      name: "filters are removed by null",
      status: 200,
      run: updating(
        {
          content_filters: [{ pattern: "x", action: "flag" }],
          content_filter_builtins: [{ slug: "ssn", action: "block" }]
        },
        { content_filters: null, content_filter_builtins: null }
      ),
      check: ({ json: { data } }) => assert.deepInclude(data, { content_filters: null, content_filter_builtins: null })
    },
    {
      name: "enforce_zdr is the last value sent",
      status: 200,
      run: updating({ enforce_zdr: true }, { enforce_zdr: null }),
      check: ({ json: { data } }) => assert.deepInclude(data, { enforce_zdr: null, enforce_zdr_openai: true })
    },
    {
      name: "the first update of a workspace's default guardrail stores it",
      status: 200,
      run: (world) =>
        world.call("updateGuardrail", {
          params: { id: world.default_guardrail_id },
          body: { allowed_data_regions: ["us"] }
        }),
      check: async ({ json: { data } }, world) => {
        assert.deepInclude(data, { name: `Workspace ${world.workspace_id} Default`, workspace_id: world.workspace_id })
        const read = await world.call("getGuardrail", { params: { id: world.default_guardrail_id } })
        assert.deepEqual(read.json.data, data)
      }
    },
    ...beyondReachCases("updateGuardrail", { body: { allowed_providers: null } }),
    ...updateWithoutPrompts,
    ...managementOnly("updateGuardrail", () => ({ params: { id: nobody }, body: {} })),
    {
      name: "the name of a default guardrail",
      status: 400,
      run: (world) =>
        world.call("updateGuardrail", { params: { id: world.default_guardrail_id }, body: { name: "Mine" } }),
      check: reasonIs("default_guardrail_name")
    },
    { name: "a limit alone", status: 400, run: updating({}, { limit_usd: 5 }) },
    { name: "an interval alone", status: 400, run: updating({}, { reset_interval: null }) },
    {
      name: "a null limit with an interval",
      status: 400,
      run: updating({}, { limit_usd: null, reset_interval: "weekly" })
    },
    { name: "a null name", status: 400, run: updating({}, { name: null }) },
    { name: "an empty list", status: 400, run: updating({}, { ignored_providers: [] }) },
    {
      name: "101 filters",
      status: 400,
      run: updating({}, { content_filters: Array.from({ length: 101 }, () => ({ pattern: "x", action: "flag" })) })
    },
    {
      name: "a malformed id",
      status: 404,
      run: (world) => world.call("updateGuardrail", { params: { id: "nope" }, body: {} })
    },
    {
      name: "an unknown id",
      status: 404,
      run: (world) => world.call("updateGuardrail", { params: { id: nobody }, body: { name: "x" } })
    },
    {
      name: "a guardrail of another account",
      status: 404,
      run: async (world) => {
        const foreign = await made(await world.other())
        return world.call("updateGuardrail", { params: { id: foreign.id }, body: { name: "Mine now" } })
      }
    },
    {
      name: "a default guardrail of another account",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        return world.call("updateGuardrail", { params: { id: other.default_guardrail_id }, body: {} })
      }
    },
    storeGone("Guardrails", 500, (world) =>
      world.call("updateGuardrail", { params: { id: nobody }, body: { name: "x" } })
    ),
    {
      name: "updates that add up beyond the size of a guardrail, one byte more than it may take",
      status: 400,
      run: async (world) => {
        const { id } = await made(world, { allowed_models: manyNames("a") })
        const update = (body: Record<string, unknown>) => world.call("updateGuardrail", { params: { id }, body })
        const filters = (more: number) =>
          Array.from({ length: 5 }, (_, index) => ({
            ...{ action: "block", label: "" },
            pattern: "x".repeat(1 + Math.floor((more + index) / 5))
          }))
        const { data } = (await update({ ignored_models: manyNames("b"), content_filters: filters(0) })).json
        const room = mostBytes - ownBytes(data)
        assert.strictEqual(ownBytes({ ...data, content_filters: filters(room) }), mostBytes)
        const refused = await update({ description: null, content_filters: filters(room + 1) })
        assert.deepEqual((await world.call("getGuardrail", { params: { id } })).json.data, data)
        assert.strictEqual((await update({ content_filters: filters(room) })).status, 200)
        assert.strictEqual((await update({ enable_paid_model_training: false })).status, 400)
        return refused
      },
      check: (answer) => {
        assert.strictEqual(metadataOf(answer).reason, "invalid_request")
        assert.deepEqual(metadataOf(answer).issues, [
          {
            path: "content_filters",
            code: "too_big",
            message:
              "The guardrail would take 1,048,577 bytes as JSON; the limit is 1,048,576. Shorten its lists and texts"
          }
        ])
      }
    }
  ]
}
