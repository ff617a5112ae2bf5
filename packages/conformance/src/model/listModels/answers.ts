/** Answers that are kept: their tags, and that a change of the catalog is seen at once. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { list, model, newAuthor } from "../catalog.ts"
import { idsOf, read } from "./reading.ts"

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
  }
]
