/** Which keys designate the versions that they make. Rule: presets#who-designates. */
import { assert } from "@effect/vitest"
import { exchange, goodToken, newPolicy } from "../../federation/federationCases.ts"
import type { Case } from "../../http/Case.ts"
import type { Answer, World } from "../../World.ts"
import { post, slug } from "./scene.ts"

const challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

/** By consent of the management key's user, who is nobody. */
const consented = async (world: World): Promise<string> => {
  const code = await world.call("createAuthorizationCode", {
    body: { callback_url: "http://localhost:3000/callback", code_challenge: challenge, code_challenge_method: "plain" }
  })
  const body = { code: code.json.data.id, code_verifier: challenge }
  return (await world.call("exchangeAuthorizationCode", { body })).json.key
}

const exchanged = async (world: World, fields: object = {}): Promise<string> =>
  (await exchange(world, (await newPolicy(world, fields)).id, goodToken(world))).json.access_token

const keyOfUser = async (world: World, creator_user_id: string | null): Promise<string> =>
  (await world.call("createKey", { body: { name: "Key", creator_user_id } })).json.key

const closed = async (world: World, presets_designated_by: string): Promise<void> => {
  const answer = await world.call("updateWorkspace", { params: { id: "default" }, body: { presets_designated_by } })
  assert.strictEqual(answer.json.data.presets_designated_by, presets_designated_by)
}

/** Version 1 of one key, version 2 of another one. */
const second = (
  name: string,
  creator: (world: World) => string | Promise<string>,
  writer: (world: World) => string | Promise<string>,
  designated: 1 | 2,
  before: (world: World) => Promise<void> = () => Promise.resolve()
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    await before(world)
    const first = await post(world, { temperature: 0 }, { key: await creator(world) })
    assert.strictEqual(first.json.data.designated_version.version, 1)
    world.installation.clock.now += 1000
    const answer = await post(world, { temperature: 1 }, { key: await writer(world) })
    await made(world, answer, designated)
    return answer
  }
})

const made = async (world: World, answer: Answer, designated: number) => {
  assert.strictEqual(answer.json.data.designated_version.version, designated)
  assert.strictEqual(answer.json.data.designated_version_id, answer.json.data.designated_version.id)
  assert.strictEqual((await world.call("getPreset", { params: { slug } })).text, answer.text)
  const versions = await world.call("listPresetVersions", { params: { slug } })
  assert.deepEqual(
    versions.json.data.map(({ version, config }: { version: number; config: { temperature: number } }) => [
      version,
      config.temperature
    ]),
    [
      [1, 0],
      [2, 1]
    ]
  )
}

const management = (world: World) => world.managementKey
const ordinary = (world: World) => world.normalKey
const creatorOnly = (world: World) => closed(world, "creator")

export const designation: readonly Case[] = [
  second("an app's key designates no version of a preset of others", ordinary, consented, 1),
  second("an app's key without a user designates no version of a preset without one", management, consented, 1),
  {
    ...second("an exchanged key designates no version of a preset of others", ordinary, exchanged, 1),
    signsTokens: true
  },
  {
    ...second(
      "an exchanged key designates versions of presets of its user",
      ordinary,
      (world) => exchanged(world, { user_id: "user-1" }),
      2
    ),
    signsTokens: true
  },
  second("an API key designates versions of presets of others", management, ordinary, 2),
  second("only the creator: its key", ordinary, ordinary, 2, creatorOnly),
  second("only the creator: the key of another user", ordinary, (world) => keyOfUser(world, "user-2"), 1, creatorOnly),
  second("only the creator: an API key without a user", management, (world) => keyOfUser(world, null), 1, creatorOnly),
  second("only the creator: a management key of none", ordinary, management, 1, creatorOnly),
  second("only management keys: an API key", ordinary, ordinary, 1, (world) => closed(world, "management_keys")),
  second("only management keys: one of them", ordinary, management, 2, (world) => closed(world, "management_keys"))
]
