/** Answers that are kept: their tags, and that a change of the catalog is seen at once. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import type { Answer } from "../../World.ts"
import { list, model, newAuthor } from "../catalog.ts"
import { idsOf, read } from "./reading.ts"

const maxPageBytes = 4_194_304

export const answerCases: readonly Case[] = [
  {
    name: "what the caller has already, until the catalog changes",
    status: 304,
    run: async (world) => {
      const author = newAuthor()
      const query = { model_authors: author }
      const again = (etag: string) =>
        world.call("listModels", { key: world.normalKey, query, headers: { "if-none-match": etag } })
      await list(world, model(`${author}/m`))
      const first = (await read(world, query)).headers.get("etag") ?? ""
      assert.match(first, /^"[0-9a-f]{64}"$/)
      assert.strictEqual((await again(first)).status, 304)
      await list(world, model(`${author}/n`))
      const second = await again(first)
      assert.strictEqual(second.status, 200)
      assert.deepEqual(idsOf(second), [`${author}/m`, `${author}/n`])
      const made = await world.call("putCatalog", {
        query: { account: "own" },
        body: { models: [model(`${author}/own`)] }
      })
      assert.strictEqual(made.status, 200, made.text)
      const third = await again(second.headers.get("etag") ?? "")
      assert.deepEqual(idsOf(third), [`${author}/m`, `${author}/n`, `${author}/own`])
      return again(third.headers.get("etag") ?? "")
    }
  },
  {
    name: "as an RSS feed",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      await list(
        world,
        model(`${author}/m`, { name: "A & <B>", description: "x\u0007y" }),
        model(`${author}/n`, { created: 0 })
      )
      const query = new URLSearchParams({ model_authors: author, use_rss: "true", limit: "1" })
      const answer = await world.send("GET", `/models?${query.toString()}`, { key: world.normalKey })
      assert.strictEqual(answer.headers.get("content-type"), "application/rss+xml; charset=utf-8")
      assert.include(
        answer.text,
        `<item><title>A &amp; &lt;B&gt;</title><link>/models/${author}/m/endpoints</link><guid isPermaLink="false">${author}/m</guid><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate><description>xy</description></item></channel>`
      )
      return answer
    }
  },
  {
    name: "a next page with the same filters",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      await list(world, ...["a", "b", "c"].map((slug) => model(`${author}/${slug}`)))
      const first = await read(world, { model_authors: author, sort: "newest", zdr: "false", limit: "2" })
      assert.strictEqual(first.json.total_count, 3)
      const second = await world.send("GET", `/models${first.json.links.next}`, { key: world.normalKey })
      assert.deepEqual(idsOf(second), [`${author}/c`])
      assert.isNull(second.json.links.next)
      return second
    }
  },
  {
    name: "pages that end at 4 MiB of models, also of the whole list and of one key, and of the feed",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      const description = "語".repeat(90_000)
      const slugs = Array.from({ length: 18 }, (_, index) => `${author}/m-${10 + index}`)
      const made = await world.call("putCatalog", {
        query: { account: "own" },
        body: { models: slugs.map((id) => model(id, { description })) }
      })
      assert.strictEqual(made.status, 200, made.text)
      const followed = async (path: string) => {
        const found: string[] = []
        for (let next: string | null = ""; next !== null;) {
          const page: Answer = await world.send("GET", `${path}${next}`, { key: world.normalKey })
          assert.isAtMost(new TextEncoder().encode(JSON.stringify(page.json.data)).length, maxPageBytes + 1_000)
          found.push(...idsOf(page))
          assert.isAtLeast(page.json.total_count, slugs.length)
          assert.notStrictEqual(page.json.links.next, next)
          next = page.json.links.next
        }
        return found.filter((id) => id.startsWith(`${author}/`))
      }
      assert.deepEqual(await followed("/models"), slugs)
      assert.deepEqual(await followed("/models/user"), slugs)
      const query = `model_authors=${author}&use_rss=true`
      const feed = await world.send("GET", `/models?${query}`, { key: world.normalKey })
      const shown = feed.text.split("<item>").length - 1
      assert.isBelow(shown, slugs.length)
      const next = `/models?${query}&limit=500&offset=${shown}`
      assert.include(feed.text, `<atom:link rel="next" href="${next.replaceAll("&", "&amp;")}"/>`)
      const rest = await world.send("GET", next, { key: world.normalKey })
      assert.strictEqual(rest.text.split("<item>").length - 1, slugs.length - shown)
      assert.notInclude(rest.text, "atom:link")
      return read(world, { model_authors: author })
    },
    check: ({ json }) => assert.strictEqual(json.total_count, 18)
  }
]
