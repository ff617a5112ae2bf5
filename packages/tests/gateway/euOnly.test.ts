/** The guide "EU only" on servers that differ from its last: the management server alone, and a gateway whose other upstream is dead. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { sampleCatalog } from "@gatewarden/node"
import { followPage, unlikeShown } from "@gatewarden/testkit/document/followPage"
import { readPage } from "@gatewarden/testkit/document/readPage"
import { gateway, managementKey, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { completes, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const { starts, steps } = readPage(readFileSync(`${root}docs/guides/eu-only.md`, "utf8"))

describe("the guide EU only", () => {
  it("shows the answer of each step but those that set variables", () => {
    assert.deepEqual(
      starts.map(({ program }) => program),
      ["server", "gateway"]
    )
    assert.deepEqual(
      steps.filter(({ shown }) => shown === undefined).map(({ code }) => code.trim().split("\n").length),
      [2]
    )
  })

  it("works on the server", async () => {
    const server = await startServerProcess({
      environment: { ...starts[0]?.variables, GATEWARDEN_CATALOG: sampleCatalog }
    })
    try {
      const printed = await followPage(steps.slice(0, -1), { url: server.url, managementKey })
      assert.deepEqual(printed.flatMap(unlikeShown), [])
    } finally {
      await server.stop()
    }
  })

  it(
    "works on the gateway, which sends the request to Europe and with the key for it",
    { tags: ["deep"] },
    async () => {
      const upstream = await startChatUpstream()
      upstream.plays("openai", completes("hi", { prompt_tokens: 10, completion_tokens: 1 }))
      const started = await startServerProcess({
        program: gateway,
        environment: {
          ...starts[1]?.variables,
          OPENAI_EU_API_KEY: "sk-eu-0123456789",
          OPENAI_API_KEY: "sk-global-0123456789",
          GATEWAY_UPSTREAMS: JSON.stringify({
            "openai/eu": { base_url: upstream.baseUrl("openai") },
            openai: { base_url: "http://127.0.0.1:9/v1" }
          })
        }
      })
      try {
        const printed = await followPage(steps, { url: started.url, managementKey })
        assert.deepEqual(printed.flatMap(unlikeShown), [])
        assert.deepEqual(
          upstream.calls().map(({ authorization }) => authorization),
          ["Bearer sk-eu-0123456789"]
        )
      } finally {
        await started.stop()
        await upstream.close()
      }
    }
  )
})
