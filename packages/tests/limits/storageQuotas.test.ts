/** What an account and a workspace may store, with quotas so small that each is met. Rule: operating#storage-quotas. */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { type Answer, type World } from "@gatewarden/conformance/internal/World"
import {
  defaultStorageLimits,
  Accounts,
  Files,
  type StoredKind,
  StoredAmounts,
  defaultAccountName
} from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { fileOf } from "@gatewarden/conformance/internal/stores/accountFixture"
import {
  membersOf,
  newGroup,
  newUser,
  patchGroup,
  rolesIn
} from "@gatewarden/conformance/internal/directory/directoryStates"
import { everyStore } from "@gatewarden/testkit/stores/stores"

const limits = {
  ...defaultStorageLimits,
  keys_per_account: 4,
  external_users_per_account: 2,
  guardrails_per_account: 2,
  credentials_per_account: 3,
  credentials_per_workspace: 2,
  workspaces_per_account: 2,
  idempotency_bytes_per_account: 1_200,
  versions_per_preset: 3,
  directory_memberships_per_account: 3,
  members_per_workspace: 4,
  preset_bytes_per_workspace: 2_000,
  files_per_workspace: 2,
  file_bytes_per_account: 1_000
}

const refuses = (answer: Answer, quota: string) => {
  assert.strictEqual(answer.status, 400, answer.text)
  const { reason, issues } = answer.json.error.metadata
  assert.strictEqual(reason, "quota_exceeded")
  assert.include(issues[0].message, quota)
  assert.include(issues[0].message, `GATEWARDEN_MAX_${quota.toUpperCase()}`)
}

/** An API key has used its half, and is told so. */
const refusesApiKey = (answer: Answer, quota: string) => {
  refuses(answer, quota)
  assert.include(answer.text, "API keys may use half of it")
  assert.include(answer.text, "use a management key, or have the operator raise")
}

const accepts = (answer: Answer) => {
  assert.include([200, 201], answer.status, answer.text)
  return answer.json
}

const uploading = (world: World, size: number, key: string) => {
  const form = new FormData()
  form.set("file", new File(["a".repeat(size)], "a.txt", { type: "text/plain" }))
  return world.call("uploadFile", { body: form, key })
}

const creating = (world: World, key: string, content: string, once?: string) =>
  world.call("createPreset", {
    params: { slug: "one" },
    body: prompt(content),
    key,
    ...(once === undefined ? {} : { headers: { "idempotency-key": once } })
  })

const credential = { body: { key: "sk-first-000000000000", provider: "openai" } }
const prompt = (content: string) => ({ messages: [{ role: "system", content }] })

for (const [title, store] of everyStore)
  describe(`storage quotas on ${title}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store, door: fetchDoor, settings: { storage: limits } })
    })
    afterAll(() => installation.stop())

    const kept = (world: World, kind: StoredKind, workspace_id: string | null = null) =>
      installation.run(Effect.flatMap(StoredAmounts, (port) => port.kept(world.account_id, workspace_id, kind)))

    it("refuses guardrails beyond the quota, and takes another once one was deleted", async () => {
      const world = await installation.newWorld()
      const create = () => world.call("createGuardrail", { body: { name: "one" } })
      const { data } = accepts(await create())
      accepts(await create())
      refuses(await create(), "guardrails_per_account")
      accepts(await world.call("deleteGuardrail", { params: { id: data.id } }))
      accepts(await create())
      refuses(await create(), "guardrails_per_account")
    })

    // Rule: workspaces#new-workspaces, workspaces#deleting-a-workspace.
    it("counts what every workspace of the account keeps, and what goes with a workspace", async () => {
      const world = await installation.newWorld()
      const made = accepts(await world.call("createWorkspace", { body: { name: "two", slug: "two" } }))
      refuses(await world.call("createWorkspace", { body: { name: "three", slug: "three" } }), "workspaces_per_account")
      const there = { workspace_id: made.data.id }
      const among = { body: { ...credential.body, ...there } }
      for (let count = 0; count < 2; count++) accepts(await world.call("createByokCredential", among))
      refuses(await world.call("createByokCredential", among), "credentials_per_workspace")
      accepts(await world.call("createByokCredential", credential))
      refuses(await world.call("createByokCredential", credential), "credentials_per_account")
      accepts(await world.call("deleteWorkspace", { params: { id: made.data.id } }))
      accepts(await world.call("createByokCredential", credential))
      refuses(await world.call("createByokCredential", credential), "credentials_per_workspace")
      accepts(await world.call("createWorkspace", { body: { name: "four", slug: "four" } }))
    })

    it("counts external users, those that keys register too, and none twice", async () => {
      const world = await installation.newWorld()
      const register = (user: string) => world.call("createExternalUser", { body: { user } })
      const withKey = (user: string) => world.call("createKey", { body: { name: "k", external: { user } } })
      accepts(await register("anna"))
      await world.call("deleteExternalUser", { params: { user: "anna" } })
      accepts(await withKey("bert"))
      refuses(await register("carl"), "external_users_per_account")
      refuses(await withKey("carl"), "external_users_per_account")
      accepts(await withKey("anna"))
      assert.strictEqual((await world.call("listExternalUsers")).json.total_count, 1)
    })

    it("counts keys, those of authorization codes too", async () => {
      const world = await installation.newWorld()
      const code = accepts(
        await world.call("createAuthorizationCode", { body: { callback_url: "https://app.example.com/done" } })
      )
      const { data } = accepts(await world.call("createKey", { body: { name: "three" } }))
      accepts(await world.call("createKey", { body: { name: "four" } }))
      assert.deepEqual(await kept(world, "key"), { rows: 4, bytes: 0 })
      refuses(await world.call("createKey", { body: { name: "five" } }), "keys_per_account")
      const exchange = () => world.call("exchangeAuthorizationCode", { body: { code: code.data.id } })
      refuses(await exchange(), "keys_per_account")
      accepts(await world.call("deleteKey", { params: { hash: data.hash } }))
      accepts(await exchange())
    })

    it("gives a preset exactly as many versions as it may have, whoever comes at once", async () => {
      const world = await installation.newWorld()
      const key = world.managementKey
      const post = () => world.call("createPreset", { params: { slug: "one" }, body: prompt(""), key })
      const answers = await Promise.all(Array.from({ length: 8 }, post))
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        3
      )
      for (const answer of answers)
        if (answer.status !== 200) {
          refuses(answer, "versions_per_preset")
          // Nothing deletes a version.
          assert.include(answer.text, "Use another slug, or have the operator raise")
        }
      accepts(await world.call("createPreset", { params: { slug: "two" }, body: prompt(""), key }))
    })

    it("leaves half of a preset's versions to management keys", async () => {
      const world = await installation.newWorld()
      const params = { slug: "one" }
      const post = (key: string) => world.call("createPreset", { params, body: prompt(""), key })
      const answers = await Promise.all(Array.from({ length: 4 }, () => post(world.normalKey)))
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      refusesApiKey(await post(world.normalKey), "versions_per_preset")
      accepts(await world.call("restorePresetVersion", { params: { ...params, version: "1" }, body: {} }))
      accepts(await post(world.managementKey))
      refuses(await post(world.managementKey), "versions_per_preset")
      refusesApiKey(await post(world.normalKey), "versions_per_preset")
    })

    it("refuses members beyond the quota of a workspace, and takes another once one has left", async () => {
      const world = await installation.newWorld()
      const params = { id: "default" }
      const add = (...user_ids: readonly string[]) => world.call("addWorkspaceMembers", { params, body: { user_ids } })
      accepts(await add("ann", "ben", "cyd"))
      refuses(await add("dan", "eve"), "members_per_workspace")
      accepts(await add("dan"))
      refuses(await add("eve"), "members_per_workspace")
      accepts(await world.call("removeWorkspaceMembers", { params, body: { user_ids: ["ann"] } }))
      accepts(await add("eve"))
    })

    it("counts the bytes of all versions of all presets of a workspace", async () => {
      const world = await installation.newWorld()
      const post = (slug: string, content: string, key = world.managementKey) =>
        world.call("createPreset", { params: { slug }, body: prompt(content), key })
      accepts(await post("one", "é".repeat(600)))
      assert.deepEqual(await kept(world, "preset_version", world.workspace_id), { rows: 1, bytes: 1_202 })
      refuses(await post("two", "é".repeat(400)), "preset_bytes_per_workspace")
      accepts(await post("two", "é".repeat(390)))
      const full = await post("one", "é".repeat(10))
      refuses(full, "preset_bytes_per_workspace")
      // Nothing deletes a preset.
      assert.include(full.text, "Use another workspace, or have the operator raise")
    })

    it("leaves half of a workspace's bytes of presets to management keys", async () => {
      const world = await installation.newWorld()
      const post = (slug: string, size: number, key = world.normalKey) =>
        world.call("createPreset", { params: { slug }, body: prompt("a".repeat(size)), key })
      accepts(await post("one", 500))
      refusesApiKey(await post("two", 500), "preset_bytes_per_workspace")
      accepts(await post("two", 490))
      refusesApiKey(await post("three", 10), "preset_bytes_per_workspace")
      accepts(await post("three", 900, world.managementKey))
    })

    it("keeps a workspace's bytes of presets within the quota, whoever comes at once", async () => {
      const world = await installation.newWorld()
      const post = (_: unknown, index: number) =>
        world.call("createPreset", {
          params: { slug: `preset-${index}` },
          body: prompt("a".repeat(600)),
          key: world.managementKey
        })
      const answers = await Promise.all(Array.from({ length: 16 }, post))
      const refusals = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refusals, 13)
      for (const answer of refusals) refuses(answer, "preset_bytes_per_workspace")
      assert.deepEqual(await kept(world, "preset_version", world.workspace_id), { rows: 3, bytes: 1_806 })
    })

    it("keeps an account's bytes of files within the quota, whoever comes at once", async () => {
      const world = await installation.newWorld()
      const { account_id, workspace_id } = world
      const outcomes = await installation.run(
        Effect.gen(function* () {
          const files = yield* Files
          const arriving = Array.from({ length: 16 }, () => fileOf(crypto.randomUUID()))
          yield* Effect.forEach(arriving, (file) => files.reserve(account_id, workspace_id, file))
          const facts = { mime_type: "text/plain", size_bytes: 400 }
          return yield* Effect.forEach(arriving, ({ id }) => files.publish(account_id, id, facts, 1_000), {
            concurrency: "unbounded"
          })
        })
      )
      assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 14 }, () => "full"), "published", "published"])
    })

    it("counts files and their bytes, and takes another once one was deleted", async () => {
      const world = await installation.newWorld()
      const upload = (size: number) => uploading(world, size, world.managementKey)
      const first = accepts(await upload(500))
      assert.deepEqual(await kept(world, "file", world.workspace_id), { rows: 1, bytes: 500 })
      refuses(await upload(501), "file_bytes_per_account")
      assert.deepEqual(await kept(world, "file"), { rows: 1, bytes: 500 })
      accepts(await upload(500))
      refuses(await upload(1), "files_per_workspace")
      accepts(await world.call("deleteFile", { params: { file_id: first.id } }))
      assert.deepEqual(await kept(world, "file", world.workspace_id), { rows: 1, bytes: 500 })
      accepts(await upload(500))
    })

    it("leaves half of the files and of their bytes to management keys", async () => {
      const world = await installation.newWorld()
      refusesApiKey(await uploading(world, 501, world.normalKey), "file_bytes_per_account")
      accepts(await uploading(world, 400, world.normalKey))
      refusesApiKey(await uploading(world, 1, world.normalKey), "files_per_workspace")
      accepts(await uploading(world, 600, world.managementKey))
    })

    it("stores no more responses than the quota, repeats those that it has, and goes on when they have ended", async () => {
      const world = await installation.newWorld()
      const create = (once?: string) => creating(world, world.managementKey, "a".repeat(600), once)
      const first = accepts(await create("one"))
      refuses(await create("two"), "idempotency_bytes_per_account")
      assert.deepEqual(accepts(await create("one")), first)
      accepts(await create())
      installation.clock.now += 86_400_000
      accepts(await create("two"))
    })

    it("leaves half of the stored responses to management keys", async () => {
      const world = await installation.newWorld()
      accepts(await creating(world, world.normalKey, "", "one"))
      refusesApiKey(await creating(world, world.normalKey, "", "two"), "idempotency_bytes_per_account")
      accepts(await world.call("createGuardrail", { body: { name: "one" }, headers: { "idempotency-key": "three" } }))
    })

    it("stores responses to a data plane whatever the quota is", async () => {
      const world = await installation.newWorld()
      const { sonnet: model } = await openMarket(world)
      const once = (key: string) => ({ headers: { "idempotency-key": key } })
      accepts(await creating(world, world.managementKey, "a".repeat(600), "one"))
      refuses(await creating(world, world.managementKey, "", "two"), "idempotency_bytes_per_account")
      const asked = { body: { api_key_hash: world.normalKeyHash, model, max_cost_usd: "0.5" }, ...once("admission") }
      const { data } = accepts(await world.call("createAdmission", asked))
      assert.strictEqual(accepts(await world.call("createAdmission", asked)).data.id, data.id)
      const params = { id: data.id }
      accepts(await world.call("renewAdmission", { params, body: { hold_seconds: 60 }, ...once("renewal") }))
      const used = {
        created_at: new Date(installation.clock.now).toISOString(),
        ...{ model, provider: "openai", prompt_tokens: 1, completion_tokens: 1, cost_usd: "0.1" }
      }
      accepts(await world.call("settleAdmission", { params, body: used, ...once("settlement") }))
      accepts(
        await world.call("recordUsageEvents", { body: { events: [{ id: "event", ...used }] }, ...once("events") })
      )
    })

    it("counts responses to gateway keys for no account", async () => {
      const world = await installation.newWorld()
      const ofOperator = () =>
        installation.run(
          Effect.gen(function* () {
            const account = Option.getOrThrow(yield* (yield* Accounts).findByName(defaultAccountName))
            return yield* (yield* StoredAmounts).kept(account.id, null, "idempotency_answer")
          })
        )
      const before = await ofOperator()
      const body = { api_key_hash: world.normalKeyHash, model: `acme/${"m".repeat(200)}` }
      const deny = (once: string) =>
        world.call("createAdmission", { body, key: world.gatewayKey, headers: { "idempotency-key": once } })
      const first = accepts(await deny(`${world.account_id}-one`))
      assert.strictEqual(first.data.decision, "deny")
      const again = await deny(`${world.account_id}-one`)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(again.json.data.id, first.data.id)
      assert.deepEqual([await ofOperator(), await kept(world, "idempotency_answer")], [before, { rows: 0, bytes: 0 }])
    })

    it("lets the mappings of a directory give no more memberships than the quota", async () => {
      const world = await installation.newWorld()
      const users = await Promise.all(["ann", "bob", "cem"].map((userName) => newUser(world, { userName })))
      const [two, three] = [await newGroup(world, users.slice(0, 2)), await newGroup(world, users)]
      const other = accepts(await world.call("createWorkspace", { body: { name: "two", slug: "two" } })).data.id
      const mapping = (scim_group_id: string, workspace_id: string) =>
        world.call("createGroupMapping", { body: { scim_group_id, workspace_id, role: "admin" } })
      accepts(await mapping(two.id, world.workspace_id))
      for (const group of [two, three]) refuses(await mapping(group.id, other), "directory_memberships_per_account")
      accepts(await mapping(two.id, world.workspace_id))
      const empty = await newGroup(world)
      const { data: unused } = accepts(await mapping(empty.id, other))
      // An error of SCIM names the quota as well.
      const add = (id: string, members: typeof users) =>
        patchGroup(world, id, { op: "add", path: "members", value: members.map((user) => ({ value: user.id })) })
      const refused = await add(empty.id, users)
      assert.strictEqual(refused.status, 400)
      assert.include(refused.json.detail, "GATEWARDEN_MAX_DIRECTORY_MEMBERSHIPS_PER_ACCOUNT")
      assert.deepEqual(await rolesIn(world), { ann: "admin", bob: "admin" })
      assert.deepEqual(await membersOf(world, empty.id), [])
      assert.strictEqual((await add(empty.id, users.slice(2))).status, 204)
      assert.strictEqual((await add(two.id, users)).status, 400)
      accepts(await world.call("deleteGroupMapping", { params: { id: unused.id }, query: { keep_members: "false" } }))
      assert.strictEqual((await add(two.id, users)).status, 204)
      assert.deepEqual(await rolesIn(world), { ann: "admin", bob: "admin", cem: "admin" })
    })

    it("counts every account apart", async () => {
      const [one, two] = [await installation.newWorld(), await installation.newWorld()]
      for (const world of [one, two, one, two]) accepts(await world.call("createGuardrail", { body: { name: "one" } }))
      refuses(await one.call("createGuardrail", { body: { name: "three" } }), "guardrails_per_account")
    })
  })
