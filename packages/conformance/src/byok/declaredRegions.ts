/** What creating and updating a credential say of its region. Rule: byok#declared-region, byok#regional-keys. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import type { Case } from "../http/Case.ts"

type Fields = Readonly<Record<string, unknown>>

const plain = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"

/** A key of an account in a region. */
export const regionalKey = (region: unknown, api_key = plain): string => JSON.stringify({ api_key, region })

const create = (world: World, fields: Fields) => world.call("createByokCredential", { body: { key: plain, ...fields } })

const update = (world: World, id: string, body: Fields) => world.call("updateByokCredential", { params: { id }, body })

const stored = async (world: World, id: string) => (await world.call("getByokCredential", { params: { id } })).json.data

const regionIs =
  (declared_region: string | null): NonNullable<Case["check"]> =>
  ({ json: { data } }) =>
    assert.strictEqual(data.declared_region, declared_region)

const refusedWith =
  (path: string, reason: string): NonNullable<Case["check"]> =>
  ({ json: { error }, text }) => {
    assert.strictEqual(error.metadata.reason, reason)
    assert.strictEqual(error.metadata.issues[0].path, path)
    assert.notInclude(text, plain)
  }

const undeclarable = refusedWith("declared_region", "region_not_declarable")

const creating = (name: string, fields: Fields, expected: string | null): Case => ({
  name: `declared region: ${name}`,
  status: 200,
  run: async (world) => {
    const answer = await create(world, fields)
    assert.deepEqual(await stored(world, answer.json.data.id), answer.json.data)
    return answer
  },
  check: regionIs(expected)
})

const notCreating = (name: string, fields: Fields, check = undeclarable): Case => ({
  name: `declared region: ${name}`,
  status: 400,
  run: async (world) => {
    const answer = await create(world, fields)
    assert.isEmpty((await world.call("listByokCredentials")).json.data)
    return answer
  },
  check
})

const openai = { provider: "openai" }

export const createdRegions: readonly Case[] = [
  ...["global", "europe", "us", null].map((declared_region) =>
    creating(`azure takes ${declared_region}`, { provider: "azure", declared_region }, declared_region)
  ),
  creating(
    "of azure it is null by default, whatever its key says",
    { provider: "azure", key: regionalKey("us") },
    null
  ),
  creating("another provider takes global", { provider: "anthropic", declared_region: "global" }, "global"),
  creating("another provider takes null", { provider: "amazon-bedrock", declared_region: null }, null),
  ...["anthropic", "amazon-bedrock", "google-vertex"].flatMap((provider) =>
    ["europe", "us"].map((declared_region) =>
      notCreating(`${provider} takes no ${declared_region}`, { provider, declared_region })
    )
  ),
  ...["openai", "fireworks"].flatMap((provider) => [
    creating(`of ${provider} it is the key's by default`, { provider, key: regionalKey("europe") }, "europe"),
    creating(`of ${provider} it may be said, too`, { provider, key: regionalKey("us"), declared_region: "us" }, "us"),
    notCreating(`of ${provider} it is no other than the key's`, {
      provider,
      key: regionalKey("us"),
      declared_region: "europe"
    }),
    notCreating(`of ${provider} it is not cleared`, { provider, key: regionalKey("us"), declared_region: null }),
    notCreating(`of ${provider} it is not global`, { provider, key: regionalKey("us"), declared_region: "global" }),
    notCreating(`a key of ${provider} without a region has none`, { provider, declared_region: "europe" })
  ]),
  creating("eu in a key is europe", { ...openai, key: regionalKey("eu") }, "europe"),
  creating("a key may say global", { ...openai, key: regionalKey("global") }, "global"),
  creating("global and null are the same", { ...openai, key: regionalKey("global"), declared_region: null }, null),
  creating("a key without a region is null", openai, null),
  creating("a key without a region may be global", { ...openai, declared_region: "global" }, "global"),
  ...Object.entries({
    "that nobody knows": regionalKey("us-east-1"),
    "that is no text": regionalKey(["us"]),
    "without a key": JSON.stringify({ region: "us" }),
    "given twice": `{"api_key":"${plain}","region":"us","region":"europe"}`
  }).map(([name, key]) =>
    notCreating(`a key with a region ${name}`, { ...openai, key }, refusedWith("key", "invalid_request"))
  ),
  notCreating(
    "an unknown region",
    { provider: "azure", declared_region: "eu" },
    refusedWith("declared_region", "invalid_request")
  ),
  notCreating(
    "a region that is no text",
    { provider: "azure", declared_region: ["us"] },
    refusedWith("declared_region", "invalid_request")
  )
]

/** Creates a credential and updates it; what the update answers is what is stored. */
const updating = (name: string, before: Fields, body: Fields, expected: string | null): Case => ({
  name: `declared region: ${name}`,
  status: 200,
  run: async (world) => {
    const { id } = (await create(world, before)).json.data
    const answer = await update(world, id, body)
    assert.deepEqual(await stored(world, id), answer.json.data)
    return answer
  },
  check: regionIs(expected)
})

/** Nothing of such an update is stored. */
const notUpdating = (name: string, before: Fields, body: Fields, check = undeclarable): Case => ({
  name: `declared region: ${name}`,
  status: 400,
  run: async (world) => {
    const credential = (await create(world, before)).json.data
    const answer = await update(world, credential.id, { name: "changed", ...body })
    assert.deepEqual(await stored(world, credential.id), credential)
    return answer
  },
  check
})

const azure = { provider: "azure", declared_region: "us" }
const regional = { ...openai, key: regionalKey("us") }

const regionsIn = ({ json: { data } }: Answer) =>
  data.map(({ before, after }: Readonly<Record<"before" | "after", Fields | null>>) => [
    before?.["declared_region"],
    after?.["declared_region"]
  ])

export const updatedRegions: readonly Case[] = [
  updating("absent stays", azure, { name: "x" }, "us"),
  updating("of azure it stays with another key", azure, { key: regionalKey("europe") }, "us"),
  updating("of azure it changes", azure, { declared_region: "europe" }, "europe"),
  updating("null clears it", azure, { declared_region: null }, null),
  updating("another provider takes global", { provider: "anthropic" }, { declared_region: "global" }, "global"),
  notUpdating("another provider takes no us", { provider: "anthropic" }, { declared_region: "us" }),
  updating("another key brings its own", regional, { key: regionalKey("europe") }, "europe"),
  updating("another key takes it away", regional, { key: plain }, null),
  updating("another key, and its region", regional, { key: regionalKey("eu"), declared_region: "europe" }, "europe"),
  updating("the region of the stored key", regional, { declared_region: "us", name: "x" }, "us"),
  updating("none, of a stored key without one", openai, { declared_region: null }, null),
  notUpdating("another key, and another region", regional, { key: regionalKey("europe"), declared_region: "us" }),
  notUpdating("another key, and no region", regional, { key: regionalKey("europe"), declared_region: null }),
  notUpdating("a key without a region, and one", regional, { key: plain, declared_region: "us" }),
  notUpdating("another than the stored key's", regional, { declared_region: "europe" }),
  notUpdating("the stored key's is not cleared", regional, { declared_region: null }),
  notUpdating("the stored key has none", openai, { declared_region: "us" }),
  notUpdating(
    "a key whose region nobody knows",
    openai,
    { key: regionalKey("uk") },
    refusedWith("key", "invalid_request")
  ),
  {
    name: "declared region: of an unknown credential",
    status: 404,
    run: (world) => update(world, "00000000-0000-4000-8000-000000000000", { declared_region: "us" })
  },
  {
    name: "declared region: of a credential of another account",
    status: 404,
    run: async (world) => {
      const other = await world.other()
      const credential = (await create(other, azure)).json.data
      const answer = await update(world, credential.id, { declared_region: "europe" })
      assert.deepEqual(await stored(other, credential.id), credential)
      return answer
    }
  },
  {
    name: "declared region: sent beside another key, it never stays with a key of another region",
    status: 200,
    run: async (world) => {
      const { id } = (await create(world, regional)).json.data
      const answers = await Promise.all([
        update(world, id, { declared_region: "us" }),
        update(world, id, { key: regionalKey("europe") }),
        update(world, id, { declared_region: "us", name: "x" })
      ])
      assert.strictEqual(answers[1]?.status, 200)
      return world.call("getByokCredential", { params: { id } })
    },
    check: regionIs("europe")
  },
  {
    name: "declared region: in the audit log, before and after",
    status: 200,
    run: async (world) => {
      const { id } = (await create(world, azure)).json.data
      await update(world, id, { declared_region: "europe" })
      return world.call("getAuditLog", { query: { noun: "byok_credential" } })
    },
    check: (answer) => assert.deepInclude(regionsIn(answer), ["us", "europe"])
  }
]
