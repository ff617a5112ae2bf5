import { createFederationPolicy, createGuardrail, usageExportTypes } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { given } from "../usage/queryAnalytics/scene.ts"
import { linkedPages } from "../http/linkedPages.ts"
import type { Answer, World } from "../World.ts"

type Line = Readonly<Record<string, unknown>>

const linesOf = ({ text }: Answer): readonly Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)

/** What is named where, without what differs each time. */
const summary = (answers: readonly Answer[]): readonly string[] =>
  answers
    .flatMap(linesOf)
    .map(({ table, named_in }) => `${String(table)} ${Array.isArray(named_in) ? named_in.join("+") : "-"}`)

const made = async (world: World, id: Parameters<World["call"]>[0], call: Parameters<World["call"]>[1]) => {
  const answer = await world.call(id, call)
  assert.isBelow(answer.status, 300, answer.text)
  return answer
}

/** Something of every table that names `anna`, each with something beside it that names `bert`. */
const scene = async (world: World): Promise<void> => {
  const { workspace_id } = world
  const guardrail = (await made(world, "createGuardrail", { body: createGuardrail.example.body })).json.data
  for (const user of ["anna", "bert"]) {
    const { key, data } = (
      await made(world, "createKey", { body: { name: `of ${user}`, creator_user_id: user, workspace_id } })
    ).json
    await made(world, "createKey", { body: { name: "of a host", workspace_id, external: { user } } })
    await made(world, "createPreset", {
      key,
      params: { slug: `by-${user}` },
      body: { model: "acme/sonnet", messages: [{ role: "user", content: "Hello" }] }
    })
    await made(world, "createFederationPolicy", {
      body: { ...createFederationPolicy.example.body, name: user, user_id: user }
    })
    await made(world, "createByokCredential", {
      body: {
        provider: user === "anna" ? "openai" : "anthropic",
        key: `sk-${user}-secret-of-upstream`,
        allowed_user_ids: [user, "carl"]
      }
    })
    await made(world, "addWorkspaceMembers", { params: { id: workspace_id }, body: { user_ids: [user] } })
    await made(world, "assignMembers", { params: { id: guardrail.id }, body: { member_user_ids: [user] } })
    await made(world, "createDirectoryUser", {
      body: { userName: user, externalId: `id of ${user}`, displayName: "Name" }
    })
    await given(
      world,
      { id: `by ${user}`, user_id: user, external_user: "guest" },
      { id: `for ${user}`, user_id: "carl", external_user: user }
    )
    await made(world, "submitGenerationFeedback", {
      body: { generation_id: `by ${user}`, category: "latency", comment: `from ${user}` }
    })
    assert.isString(data.hash)
  }
}

const ofAnna = [
  "key user_id+creator_user_id",
  "byok_credential allowed_user_ids",
  "directory_user user_id",
  "federation_policy user_id",
  "member_assignment user_id",
  "preset creator_user_id",
  "preset_version creator_id",
  "workspace_member user_id",
  "usage_event user_id",
  "generation_feedback -"
]

const anna = { query: { user_id: "anna" } }

const exports = (name: string, run: Case["run"], check: NonNullable<Case["check"]>): Case => ({
  name,
  status: 200,
  run,
  check
})

const bad = (name: string, query: Readonly<Record<string, string>>, path: string): Case =>
  refused("exportPersonalData", name, { query }, { path, reason: "invalid_request" })

export const exportPersonalData: CasesOf = {
  operation: "exportPersonalData",
  cases: [
    exports(
      "nobody of this name",
      async (world) => world.call("exportPersonalData", anna),
      (answer) => {
        assert.strictEqual(answer.text, "")
        assert.isNull(answer.headers.get("x-next-cursor"))
      }
    ),
    exports(
      "every row that names a user, and none that names another one",
      async (world) => {
        await scene(world)
        return world.call("exportPersonalData", anna)
      },
      (answer) => {
        assert.strictEqual(answer.headers.get("content-type"), usageExportTypes.ndjson)
        assert.deepEqual(summary([answer]), ofAnna)
        for (const absent of ["bert", "carl", "sk-anna", "sealed", "secret"]) assert.notInclude(answer.text, absent)
        const [key, , directory] = linesOf(answer)
        assert.deepInclude(key, { name: "of anna", disabled: false, kind: "normal" })
        assert.deepInclude(directory, { user_name: "anna", external_id: "id of anna" })
        assert.include(answer.text, '"comment":"from anna"')
      }
    ),
    exports(
      "every row that names an external user",
      async (world) => {
        await scene(world)
        return world.call("exportPersonalData", { query: { external_user: "anna" } })
      },
      (answer) => {
        assert.deepEqual(summary([answer]), [
          "key external_user",
          "external_user external_user",
          "usage_event external_user"
        ])
        assert.deepInclude(linesOf(answer)[2], { id: "for anna", external_user: "anna" })
      }
    ),
    exports(
      "pages of one row: each row once, in the same order",
      async (world) => {
        await scene(world)
        const whole = await world.call("exportPersonalData", anna)
        const pages = await linkedPages(world, "exportPersonalData", { user_id: "anna", limit: "1" })
        // Feedback comes with its event.
        assert.deepEqual(
          pages.map((page) => linesOf(page).length).filter((length) => length > 1),
          [2]
        )
        assert.strictEqual(pages.map(({ text }) => text).join(""), whole.text)
        const threes = await linkedPages(world, "exportPersonalData", { user_id: "anna", limit: "3" })
        assert.strictEqual(threes.map(({ text }) => text).join(""), whole.text)
        return whole
      },
      (answer) => assert.lengthOf(linesOf(answer), ofAnna.length)
    ),
    exports(
      "rows of one table in pages, while others are added",
      async (world) => {
        const add = () => made(world, "createKey", { body: { name: "k", creator_user_id: "anna" } })
        for (let n = 0; n < 5; n++) await add()
        const first = await world.call("exportPersonalData", { query: { user_id: "anna", limit: "2" } })
        const before = new Set(linesOf(await world.call("exportPersonalData", anna)).map(({ hash }) => hash))
        await add()
        const cursor = first.headers.get("x-next-cursor") ?? ""
        const rest = await linkedPages(world, "exportPersonalData", { user_id: "anna", limit: "2", cursor })
        const seen = [first, ...rest].flatMap(linesOf).map(({ hash }) => hash)
        assert.strictEqual(new Set(seen).size, seen.length)
        for (const hash of before) assert.include(seen, hash)
        return first
      },
      (answer) => assert.lengthOf(linesOf(answer), 2)
    ),
    exports(
      "the same person in another account",
      async (world) => {
        await scene(world)
        const { managementKey } = await world.installation.newWorld()
        return world.call("exportPersonalData", { ...anna, key: managementKey })
      },
      ({ text }) => assert.strictEqual(text, "")
    ),
    exports(
      "names that look like SQL or JSON are names",
      async (world) => {
        const user_id = `a'"\\{,}%_ é🙂`
        await made(world, "createKey", { body: { name: "k", creator_user_id: user_id } })
        return world.call("exportPersonalData", { query: { user_id } })
      },
      (answer) => assert.lengthOf(linesOf(answer), 1)
    ),
    bad("nobody", {}, "query"),
    bad("two persons", { user_id: "a", external_user: "b" }, "query"),
    bad("an empty name", { user_id: "" }, "query.user_id"),
    bad("a name that is too long", { user_id: "a".repeat(257) }, "query.user_id"),
    bad("a limit of nothing", { user_id: "a", limit: "0" }, "query.limit"),
    bad("a limit of too many", { user_id: "a", limit: "10001" }, "query.limit"),
    ...[
      "!",
      "key",
      "key.",
      "key.x",
      "toString.0",
      "usage_event.",
      "usage_event.AA",
      "workspace.0.0",
      "key.' or 1=1"
    ].map((cursor) => bad(`a cursor that no answer had: ${cursor}`, { user_id: "a", cursor }, "query.cursor")),
    ...managementOnly("exportPersonalData", () => anna),
    storeGone("PersonalRows", 500, (world) => world.call("exportPersonalData", anna))
  ]
}
