/** The guides, step by step as they stand: every command runs, and prints what the page shows. */
import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { sampleCatalog } from "@gatewarden/node"
import { followPage, unlikeShown } from "@gatewarden/testkit/document/followPage"
import { readPage } from "@gatewarden/testkit/document/readPage"
import { gateway, managementKey, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { completes, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Pages with commands that no test follows, and why. */
const notFollowed: Readonly<Record<string, string>> = {
  "docs/concepts.md": "Its JSON shows objects, not what the command before them prints."
}

/** Reference and rules show parts of calls, and pages for maintainers commands of a clone. */
const isGuide = (path: string): boolean => /^(?:[^/]+|guides\/.*|operating\/.*)\.md$/.test(path)

export const pagesWithCommands = [
  "README.md",
  ...readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" })
    .filter(isGuide)
    .map((path) => `docs/${path}`)
    .sort()
]
  .map((path) => ({ path, page: readPage(readFileSync(`${root}${path}`, "utf8")) }))
  .filter(({ path, page }) => page.steps.length > 0 && !(path in notFollowed))

/** What a newcomer reads first. */
export const firstPages: readonly string[] = ["README.md", "docs/quickstart.md"]

/** A test for each of the pages: a server as the page starts it, and the page's commands. */
export const followPages = (pages: typeof pagesWithCommands): void => {
  for (const { path, page } of pages)
    it(`${path} works as it stands`, async () => {
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
