import { alertChannelsPerWorkspace, alertKinds } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import {
  malformedIdempotencyKey,
  type Case,
  type CasesOf,
  managementOnly,
  outcomeUnknown,
  refused,
  storeGone
} from "../http/Case.ts"
import { listCases } from "../http/listCases.ts"
import { nobody, nounCases, tenInAnyMinute } from "../http/nounCases.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { givenSecret, newChannel, receiver, silent, slackBody, webhookBody } from "./alertCases.ts"

const bad = (name: string, fields: object, path: string, reason?: string): Case =>
  refused("createAlertChannel", name, { body: { ...webhookBody, ...fields } }, { path, reason })

const webhook = (url: string, signing_secret: unknown = undefined) => ({
  config: { url, ...(signing_secret === undefined ? {} : { signing_secret }) }
})

const { absent, inCapitals, tooMany, changed, unchanged, goneAlone } = nounCases({
  create: "createAlertChannel",
  list: "listAlertChannels",
  get: "getAlertChannel",
  update: "updateAlertChannel",
  remove: "deleteAlertChannel",
  body: webhookBody,
  beside: { signing_secret: null },
  make: async (world, fields) => (await newChannel(world, fields)).data
})

const createAlertChannel: CasesOf = {
  operation: "createAlertChannel",
  cases: [
    {
      name: "every default, and a secret that is shown once",
      status: 200,
      run: (world) => world.call("createAlertChannel", { body: webhookBody }),
      check: async ({ json: { data, signing_secret } }, world) => {
        assert.match(signing_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.deepEqual(data, {
          id: data.id,
          workspace_id: world.workspace_id,
          name: "On call",
          type: "webhook",
          config: { url: receiver, signing_secret: `wh...${signing_secret.slice(-4)}` },
          events: [...alertKinds],
          quiet_time_seconds: 3600,
          enabled: true,
          created_at: nowIn(world),
          updated_at: null
        })
        const read = await world.call("getAlertChannel", { params: { id: data.id } })
        assert.deepEqual(read.json, { data })
      }
    },
    {
      name: "every field, and a secret of the caller's, which is not repeated",
      status: 200,
      run: (world) =>
        world.call("createAlertChannel", {
          body: {
            type: "webhook",
            name: "Two",
            config: { url: `${receiver}?token=abcdefghijklmnopqrstuvwxyz`, signing_secret: givenSecret },
            events: ["budget.denied", "key.expiring", "budget.denied"],
            quiet_time_seconds: 0,
            enabled: false
          }
        }),
      check: ({ json, text }) => {
        assert.isNull(json.signing_secret)
        assert.notInclude(text, givenSecret)
        assert.notInclude(text, "abcdefghijklmnopqrstuvwxyz")
        assert.deepInclude(json.data, {
          name: "Two",
          events: ["budget.denied", "key.expiring"],
          quiet_time_seconds: 0,
          enabled: false
        })
      }
    },
    {
      name: "slack, whose address is a secret",
      status: 200,
      run: (world) => world.call("createAlertChannel", { body: slackBody }),
      check: ({ json }) => {
        assert.isNull(json.signing_secret)
        assert.deepEqual(json.data.config, { url: "https://hooks.slack.com/se...mnop" })
      }
    },
    refused(
      "createAlertChannel",
      "email, where the server has no mail server",
      { body: { type: "email", name: "Mail", config: { to: ["ops@example.com"] } } },
      { path: "type", reason: "mail_unavailable" }
    ),
    bad("a type that does not exist", { type: "sms" }, "type"),
    bad("an empty name", { name: "" }, "name"),
    bad("a name that is too long", { name: "x".repeat(201) }, "name"),
    bad("no events", { events: [] }, "events"),
    bad("an event that does not exist", { events: ["budget.spent"] }, "events.0"),
    bad("a negative quiet time", { quiet_time_seconds: -1 }, "quiet_time_seconds"),
    bad("a quiet time of more than a week", { quiet_time_seconds: 604_801 }, "quiet_time_seconds"),
    bad("an address of another scheme", webhook("file:///etc/passwd"), "config.url"),
    bad("an address with credentials", webhook("https://a:b@example.com"), "config.url"),
    bad("an address that is none", webhook("example"), "config.url"),
    bad("an address that is too long", webhook(`https://example.com/${"x".repeat(2_048)}`), "config.url"),
    bad("a secret that is too short", webhook(receiver, "whsec_AAAA"), "config.signing_secret"),
    bad("a secret of another form", webhook(receiver, "secret"), "config.signing_secret"),
    ...["a@b\r\nBcc: x@y.z", "a@b>, <x@y.z", "a b@c.d", "@c.d", "a@", "a@b..c", '"a"@b.c', "a@b.c,d@e.f"].map((to) =>
      refused(
        "createAlertChannel",
        `the address ${JSON.stringify(to)}`,
        { body: { type: "email", name: "Mail", config: { to: [to] } } },
        { path: "config.to.0" }
      )
    ),
    refused(
      "createAlertChannel",
      "nobody to write to",
      { body: { type: "email", name: "Mail", config: { to: [] } } },
      { path: "config.to" }
    ),
    ...bodyWorkspaceCases("createAlertChannel", webhookBody),
    tooMany(alertChannelsPerWorkspace),
    ...managementOnly("createAlertChannel", () => ({ body: webhookBody })),
    storeGone("AlertChannels", 500, (world) => world.call("createAlertChannel", { body: webhookBody })),
    outcomeUnknown("AlertChannels", (world) => world.call("createAlertChannel", { body: webhookBody }))
  ]
}

const listAlertChannels: CasesOf = {
  operation: "listAlertChannels",
  cases: [
    ...listCases(
      "listAlertChannels",
      async (world, workspace_id) => (await newChannel(world, { workspace_id })).data.id
    ),
    ...managementOnly("listAlertChannels", () => ({})),
    storeGone("AlertChannels", 500, (world) => world.call("listAlertChannels"))
  ]
}

const getAlertChannel: CasesOf = {
  operation: "getAlertChannel",
  cases: [
    inCapitals,
    ...absent("getAlertChannel"),
    ...managementOnly("getAlertChannel", () => ({ params: { id: nobody } })),
    storeGone("AlertChannels", 500, (world) => world.call("getAlertChannel", { params: { id: nobody } }))
  ]
}

const update = (world: World, id: string, body: object) => world.call("updateAlertChannel", { params: { id }, body })

const fields = { name: "Two", events: ["key.expiring"], quiet_time_seconds: 60, enabled: false }
const given = webhook(receiver, givenSecret)

const updateAlertChannel: CasesOf = {
  operation: "updateAlertChannel",
  cases: [
    changed("every field but the config", {}, fields, fields),
    changed("nothing", {}, {}, {}),
    changed("the same again", fields, fields, {}),
    changed("null where nothing can be null", fields, { events: null, quiet_time_seconds: null, enabled: null }, {}),
    changed(
      "what cannot change is ignored",
      {},
      { id: nobody, type: "slack", workspace_id: nobody, created_at: 1 },
      {}
    ),
    changed(
      "a path on the same host",
      given,
      { config: { url: "https://ops.example.com/other" } },
      {
        config: { url: "https://ops.example.com/other", signing_secret: "wh...AQEB" }
      }
    ),
    changed("fields that the type does not have are ignored", given, { config: { to: ["x"], __proto__x: 1 } }, {}),
    {
      name: "what is shown, sent back, changes nothing",
      status: 200,
      run: async (world) => {
        for (const before of [given, slackBody]) {
          const { data } = await newChannel(world, before)
          world.installation.clock.now += 1000
          const answer = await update(world, data.id, data)
          assert.deepEqual(answer.json, { data, signing_secret: null })
        }
        return world.call("listAlertChannels")
      }
    },
    {
      name: "another host with a new secret, which is shown once",
      status: 200,
      run: async (world) => {
        const { data, signing_secret: before } = await newChannel(world)
        const answer = await update(world, data.id, { config: { url: silent, signing_secret: null } })
        assert.match(answer.json.signing_secret, /^whsec_/)
        assert.notStrictEqual(answer.json.signing_secret, before)
        assert.strictEqual(answer.json.data.config.url, silent)
        assert.isUndefined((await world.call("getAlertChannel", { params: { id: data.id } })).json.signing_secret)
        return answer
      }
    },
    {
      name: "another host with a secret of the caller's",
      status: 200,
      run: async (world) => {
        const { data } = await newChannel(world)
        return update(world, data.id, { config: { url: silent, signing_secret: givenSecret } })
      },
      check: ({ json }) => {
        assert.isNull(json.signing_secret)
        assert.deepEqual(json.data.config, { url: silent, signing_secret: "wh...AQEB" })
      }
    },
    unchanged(
      "another host without a secret",
      given,
      { config: { url: silent } },
      "config.signing_secret",
      "secret_required"
    ),
    unchanged(
      "another host with the masked secret",
      given,
      { config: { url: silent, signing_secret: "wh...AQEB" } },
      "config.signing_secret",
      "secret_required"
    ),
    unchanged(
      "a mask that is not the shown one",
      given,
      { config: { signing_secret: "wh...ABCD" } },
      "config.signing_secret",
      "masked_value"
    ),
    unchanged(
      "a mask of another address of Slack",
      slackBody,
      { config: { url: "https://hooks.slack.com/se...0000" } },
      "config.url",
      "masked_value"
    ),
    unchanged("no address", given, { config: { url: null } }, "config.url"),
    unchanged("an address that is none", given, { config: { url: "x" } }, "config.url"),
    unchanged("a name that is null", {}, { name: null }, "name"),
    unchanged("no events", {}, { events: [] }, "events"),
    unchanged("a config that is no object", {}, { config: [] }, "config"),
    ...absent("updateAlertChannel", { name: "x" }),
    ...absent("updateAlertChannel", { config: { url: receiver } }).slice(0, 1),
    ...managementOnly("updateAlertChannel", () => ({ params: { id: nobody }, body: {} })),
    storeGone("AlertChannels", 500, (world) => update(world, nobody, {})),
    outcomeUnknown("AlertChannels", (world) => update(world, nobody, { name: "x" }))
  ]
}

const remove = (world: World, id: string) => world.call("deleteAlertChannel", { params: { id } })

const deleteAlertChannel: CasesOf = {
  operation: "deleteAlertChannel",
  cases: [
    goneAlone,
    ...absent("deleteAlertChannel"),
    ...managementOnly("deleteAlertChannel", () => ({ params: { id: nobody } })),
    storeGone("AlertChannels", 500, (world) => remove(world, nobody))
  ]
}

const test = (world: World, id: string) => world.call("testAlertChannel", { params: { id } })

const testAlertChannel: CasesOf = {
  operation: "testAlertChannel",
  cases: [
    {
      name: "arrives, even if the channel is disabled",
      status: 200,
      run: async (world) => {
        const { data } = await newChannel(world, { enabled: false })
        return test(world, data.id)
      },
      check: ({ json }) => assert.deepEqual(json.data, { delivered: true, status: 204, message: null })
    },
    {
      name: "what does not arrive is told",
      status: 200,
      run: async (world) => {
        const { data } = await newChannel(world, { config: { url: silent } })
        return test(world, data.id)
      },
      check: ({ json }) =>
        assert.deepEqual(json.data, { delivered: false, status: 404, message: "The receiver answered 404." })
    },
    tenInAnyMinute("testAlertChannel"),
    malformedIdempotencyKey("testAlertChannel", { id: nobody }),
    ...absent("testAlertChannel"),
    ...managementOnly("testAlertChannel", () => ({ params: { id: nobody } })),
    storeGone("AlertChannels", 500, (world) => test(world, nobody))
  ]
}

export const alertChannelCases: readonly CasesOf[] = [
  createAlertChannel,
  listAlertChannels,
  getAlertChannel,
  updateAlertChannel,
  deleteAlertChannel,
  testAlertChannel
]
