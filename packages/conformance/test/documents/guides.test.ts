/** The guides, step by step as they stand: every command runs, and prints what the page shows. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { sampleCatalog } from "@gatewarden/node"
import { followPage, unlikeShown } from "../../src/document/followPage.ts"
import { readPage } from "../../src/document/readPage.ts"
import { gateway, managementKey, startServerProcess } from "../../src/server/serverProcess.ts"
import { completes, startChatUpstream } from "../../src/upstream/chatUpstream.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const pages = [
  "README.md",
  "docs/connect-your-gateway.md",
  "docs/content-filters.md",
  "docs/embedding.md",
  "docs/quickstart.md",
  "docs/failure-behaviour.md",
  "docs/guides/alerts-to-slack.md",
  "docs/guides/bring-your-own-keys.md",
  "docs/guides/eu-only.md",
  "docs/guides/from-litellm-or-portkey.md",
  "docs/guides/limit-a-team.md",
  "docs/guides/many-servers.md",
  "docs/guides/read-a-denial.md",
  "docs/guides/rotate-everything.md",
  "docs/operating/accounts-and-keys.md",
  "docs/operating/audit-log.md",
  "docs/operating/backup-and-restore.md",
  "docs/operating/import-and-export.md",
  "docs/operating/observing.md",
  "docs/operating/personal-data.md"
]

describe("a page", () => {
  for (const path of pages) {
    const page = readPage(readFileSync(`${root}${path}`, "utf8"))

    it(`${path} works as it stands`, async () => {
      assert.isNotEmpty(page.steps)
      const upstream = await startChatUpstream()
      upstream.plays("openai", completes("hi", { prompt_tokens: 10, completion_tokens: 1 }))
      const playing = { base_url: upstream.baseUrl("openai") }
      const runsGateway = page.starts.some(({ program }) => program === "gateway")
      // A store of its own on disk only where the command line shares it with the server.
      const usesCommandLine = page.steps.some(({ code }) => code.includes("npx gatewarden"))
      const server = await startServerProcess({
        ...(runsGateway ? { program: gateway } : {}),
        environment: {
          ...Object.assign({}, ...page.starts.map(({ variables }) => variables)),
          ...(usesCommandLine ? { DATABASE_URL: "" } : {}),
          GATEWARDEN_CATALOG: sampleCatalog,
          OPENAI_API_KEY: "sk-0123456789",
          OPENAI_EU_API_KEY: "sk-eu-0123456789",
          GATEWAY_UPSTREAMS: JSON.stringify({ openai: playing, "openai/eu": playing })
        }
      })
      try {
        const printed = await followPage(page.steps, {
          url: server.url,
          managementKey,
          dataDirectory: server.dataDirectory
        })
        assert.deepEqual(printed.flatMap(unlikeShown), [])
      } finally {
        await server.stop()
        await upstream.close()
      }
    })
  }
})
