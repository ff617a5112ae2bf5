/** An export whose store fails in the middle never looks complete. Rule: usage#export. */
import { nodePlatform, toNodeHandler } from "@gatewarden/node"
import { makeStore } from "@gatewarden/core/store"
import { createGatewarden } from "@gatewarden/core"
import { layerMemory } from "@gatewarden/core/effect"
import { StoreUnavailable } from "@gatewarden/core/store"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { serverDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { wrapPorts } from "@gatewarden/conformance/internal/wrapPorts"

const managementKey = "a-management-key-of-the-tests-000001"

/** More events than a store answers at once. */
const events = Array.from({ length: 1_200 }, (_, number) => ({
  id: `event-${String(number).padStart(4, "0")}`,
  created_at: "2026-03-01T12:00:00Z",
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd: "0.1"
}))

/** A store whose history answers so often. */
const failing = () => {
  const left = { answers: Infinity }
  const store = wrapPorts(layerMemory, (port, effect) =>
    port !== "UsageHistory"
      ? effect
      : Effect.suspend(() => (left.answers-- > 0 ? effect : Effect.die(new StoreUnavailable({}))))
  )
  return { left, store }
}

/** What a client reads, and whether it was told that there is no more. */
const read = async (url: string, key: string) => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const reader = (response.body ?? assert.fail()).getReader()
  let text = ""
  for (;;) {
    const piece = await reader.read().catch(() => undefined)
    if (piece === undefined) return { status: response.status, isComplete: false, text }
    if (piece.done) return { status: response.status, isComplete: true, text }
    text += new TextDecoder().decode(piece.value)
  }
}

const lines = (text: string): number => text.split("\n").length - 1

const ways = [
  {
    name: "the server",
    open: async (store: ReturnType<typeof failing>["store"]) => {
      const installation = await Installation.start({ store, door: serverDoor })
      const world = await installation.newWorld()
      const { door, basePath } = installation
      return {
        base: `${door.origin}${basePath}`,
        key: world.managementKey,
        close: () => installation.stop()
      }
    }
  },
  {
    name: "a host that mounts an instance",
    open: async (store: ReturnType<typeof failing>["store"]) => {
      const gatewarden = await createGatewarden({
        store: makeStore("memory", store),
        managementKey,
        platform: nodePlatform()
      })
      const server: Server = createServer(toNodeHandler(gatewarden))
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
      return {
        base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
        key: managementKey,
        close: async () => {
          server.closeAllConnections()
          await new Promise((resolve) => void server.close(resolve))
          await gatewarden.close()
        }
      }
    }
  }
]

for (const { name, open } of ways)
  describe(`exports of ${name} while the store fails`, () => {
    const { left, store } = failing()
    let opened: Awaited<ReturnType<typeof open>>
    let url: string
    beforeAll(async () => {
      opened = await open(store)
      url = `${opened.base}/gateway/usage-events`
      const sent = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${opened.key}`, "content-type": "application/json" },
        body: JSON.stringify({ events })
      })
      assert.strictEqual(sent.status, 200, await sent.text())
    })
    afterAll(() => opened?.close())

    for (const format of ["ndjson", "csv"])
      it(`${format}: the connection breaks behind what was read`, async () => {
        const from = `${url}?limit=1100&format=${format}`
        left.answers = Infinity
        const whole = await read(from, opened.key)
        assert.deepInclude(whole, { status: 200, isComplete: true })
        // The end of the page, and the first of three stretches.
        left.answers = 2
        const broken = await read(from, opened.key)
        left.answers = Infinity
        assert.deepInclude(broken, { status: 200, isComplete: false })
        assert.isBelow(lines(broken.text), lines(whole.text))
        assert.isTrue(whole.text.startsWith(broken.text))
        // The next request finds a server that works.
        assert.deepEqual(await read(from, opened.key), whole)
      })
  })
