/**
 * Keys that lose their validity while they are in use: at once on the server that is told, within two seconds on every other.
 *
 * Rule: access#changes-take-effect.
 */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { commandLine } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const { start } = serverFleet()

const promisedMillis = 2_000

interface Watch {
  /** When the last request was sent that was let in. */
  readonly lastAdmitted: () => number
  /** Resolves with the first refusal. */
  readonly refused: Promise<void>
  readonly stop: () => void
}

/** Uses a key on a server without a break, so that it is always one that was looked up a moment ago. */
const use = (url: string, key: string): Watch => {
  const state = { last: 0, isOver: false }
  const refused = (async () => {
    while (!state.isOver) {
      const sent = performance.now()
      const { status } = await callServer(url, "GET", "/key", { key })
      if (status === 401) return
      assert.strictEqual(status, 200)
      state.last = sent
    }
  })()
  return { lastAdmitted: () => state.last, refused, stop: () => void (state.isOver = true) }
}

const watches: Watch[] = []
afterEach(() => watches.splice(0).forEach(({ stop }) => stop()))

describe("a key in use on two servers", () => {
  const changes = {
    "is revoked by command": async ({ environment, hash }) => {
      await promisify(execFile)(process.execPath, [commandLine, "keys", "revoke", hash], {
        env: { PATH: process.env["PATH"] ?? "", ...environment }
      })
    },
    "is disabled": async ({ database, hash }) =>
      void (await execute(database, `update gatewarden_api_key set disabled = true where hash = '${hash}'`)),
    "is of an account that is suspended": async ({ database, url }) => {
      await execute(database, "update gatewarden_account set suspended_at = now()")
      return async () => {
        await execute(database, "update gatewarden_account set suspended_at = null")
        await eventually("the account to be let in again", async () =>
          (await callServer(url, "GET", "/key")).status === 200 ? true : undefined
        )
      }
    },
    "is rotated without an overlap, and opened by the new secret at once": async ({ url, otherUrl, hash }) => {
      const rotated = await callServer(url, "POST", `/keys/${hash}/rotate`, { body: { overlap_seconds: 0 } })
      assert.strictEqual(rotated.status, 200)
      for (const server of [otherUrl, url])
        assert.strictEqual((await callServer(server, "GET", "/key", { key: rotated.json.key })).status, 200)
    },
    "is deleted": async ({ database, hash }) =>
      void (await execute(database, `delete from gatewarden_api_key where hash = '${hash}'`)),
    "goes with its workspace, on one of them": async ({ url }) => {
      const target = "/workspaces/default?confirm_default_workspace_deletion=true"
      assert.strictEqual((await callServer(url, "DELETE", target)).status, 200)
    }
  } satisfies Record<
    string,
    (place: {
      readonly environment: Readonly<Record<string, string>>
      readonly database: string
      readonly url: string
      readonly otherUrl: string
      readonly hash: string
    }) => Promise<void | (() => Promise<void>)>
  >

  it("is refused in time, however it ends", async () => {
    const database = await createMigratedDatabase(inject("postgres"))
    const environment = { DATABASE_URL: database, GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}` }
    const [one, other] = await Promise.all([start({ environment }), start({ environment })])
    for (const [name, change] of Object.entries(changes)) {
      const made = await callServer(one.url, "POST", "/keys", { body: { name } })
      const key: string = made.json.key
      const users = [one, other].map(({ url }) => use(url, key))
      watches.push(...users)
      await eventually("both to let it in", async () =>
        users.every(({ lastAdmitted }) => lastAdmitted() > 0) ? true : undefined
      )
      const undo = await change({
        environment,
        database,
        url: one.url,
        otherUrl: other.url,
        hash: made.json.data.hash
      })
      const changed = performance.now()
      if (name.startsWith("goes with"))
        assert.strictEqual((await callServer(one.url, "GET", "/key", { key })).status, 401)
      await Promise.all(users.map(({ refused }) => refused))
      const late = users.map(({ lastAdmitted }) => Math.round(lastAdmitted() - changed))
      console.info(`${name}: let in last ${late.join(" and ")} ms after`)
      assert.isBelow(Math.max(...late), promisedMillis, name)
      for (const { url } of [one, other])
        assert.strictEqual((await callServer(url, "GET", "/key", { key })).status, 401)
      if (undo !== undefined) await undo()
    }
  })
})
