import { assert } from "@effect/vitest"
import { accessCases, type CasesOf, refused, storeGone } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "./catalog.ts"
import { answerCases } from "./listModels/answers.ts"
import { filterCases } from "./listModels/filters.ts"
import { idsOf, ofAuthor, read } from "./listModels/reading.ts"
import { sortCases } from "./listModels/sorts.ts"

export const listModels: CasesOf = {
  operation: "listModels",
  cases: [
    {
      name: "what all endpoints have together, with the price of the first",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(
          world,
          model(`${author}/m`, {
            canonical_slug: `${author}/m-2026`,
            endpoints: [
              endpoint({ max_completion_tokens: 4096, data_regions: ["europe"] }),
              endpoint({ tag: "b", context_length: 9000, supported_parameters: ["tools", "seed"] })
            ]
          })
        )
        const answer = await read(world)
        assert.deepEqual(ofAuthor(answer, author), [
          {
            id: `${author}/m`,
            object: "model",
            owned_by: author,
            canonical_slug: `${author}/m-2026`,
            name: "Model",
            created: 1_767_225_600,
            description: "For tests",
            context_length: 9000,
            architecture: {
              input_modalities: ["text"],
              output_modalities: ["text"],
              modality: "text->text",
              instruct_type: "chatml",
              tokenizer: "Other"
            },
            pricing: { prompt: "0.000001", completion: "0.000002", request: "0", image: "0" },
            top_provider: { context_length: 8192, max_completion_tokens: 4096, is_moderated: false },
            supported_parameters: ["temperature", "tools", "seed"],
            per_request_limits: null,
            default_parameters: null,
            supported_voices: null,
            links: { details: `/models/${author}/m/endpoints` }
          }
        ])
        return answer
      }
    },
    {
      name: "by id; not those that nothing answers for; a tokenizer that nobody told is left out",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const architecture = { input_modalities: ["text"], output_modalities: ["text"] }
        await list(
          world,
          model(`${author}/b:free`),
          model(`${author}/c`, { architecture }),
          model(`${author}/B`),
          model(`${author}/none`, { endpoints: [] })
        )
        const answer = await read(world)
        const own = ofAuthor(answer, author)
        assert.deepEqual(
          own.map(({ id }) => id),
          [`${author}/B`, `${author}/b:free`, `${author}/c`]
        )
        assert.notProperty(own[2]?.["architecture"], "tokenizer")
        assert.strictEqual(answer.json.total_count, answer.json.data.length)
        return answer
      }
    },
    {
      name: "an account's own, to that account alone",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const made = await world.call("putCatalog", {
          query: { account: "own" },
          body: { models: [model(`${author}/own`)] }
        })
        assert.strictEqual(made.status, 200, made.text)
        const other = await world.other()
        assert.isEmpty(ofAuthor(await other.call("listModels", { key: other.managementKey }), author))
        await list(world, model(`${author}/shared`))
        const answer = await read(world)
        assert.lengthOf(ofAuthor(answer, author), 2)
        await list(world, model(`${author}/taken`, { canonical_slug: `${author}/own` }))
        const hidden = await read(world)
        assert.deepEqual(
          ofAuthor(hidden, author).map(({ id }) => id),
          [`${author}/shared`, `${author}/taken`]
        )
        return hidden
      }
    },
    {
      name: "a page where one is asked for, and where the next one is",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(world, ...["a", "b", "c"].map((name) => model(`${author}/${name}`)))
        const all = idsOf(await read(world))
        const first = await read(world, { limit: "1" })
        assert.deepEqual(idsOf(first), all.slice(0, 1))
        assert.deepInclude(first.json, { total_count: all.length, links: { next: "?limit=1&offset=1" } })
        const second = await world.send("GET", `/models${first.json.links.next}`, { key: world.normalKey })
        assert.deepEqual(idsOf(second), all.slice(1, 2))
        assert.deepEqual(idsOf(await read(world, { offset: "2" })), all.slice(2))
        const last = await read(world, { limit: "2", offset: String(all.length - 2) })
        assert.isNull(last.json.links.next)
        assert.deepEqual(idsOf(last), all.slice(-2))
        return read(world, { offset: String(all.length) })
      },
      check: ({ json }) => assert.deepInclude(json, { data: [], links: { next: null } })
    },
    ...filterCases,
    ...sortCases,
    ...answerCases,
    refused("listModels", "too many at once", { query: { limit: "1001" } }, { path: "query.limit" }),
    refused("listModels", "a page before the first", { query: { offset: "-1" } }, { path: "query.offset" }),
    ...accessCases("listModels", () => ({})),
    storeGone("ModelCatalog", 500, (world) => read(world))
  ]
}
