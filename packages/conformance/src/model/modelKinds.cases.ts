/** Lists of models by what they give: `listEmbeddingModels`, `listImageModels` with `listImageModelEndpoints`, `listVideoModels`. */
import { assert } from "@effect/vitest"
import type { OperationId } from "@gatewarden/contract"
import { accessCases, type CasesOf, refused, storeGone, unchanged } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "./catalog.ts"
import { idsOf, ofAuthor, read } from "./listModels/reading.ts"

const giving = (output: string, ...supported_parameters: readonly string[]) => ({
  architecture: { input_modalities: ["text"], output_modalities: [output] },
  listing: { hugging_face_id: "acme/it" },
  endpoints: [endpoint(), endpoint({ tag: "b", supported_parameters })]
})

/** An image model, a video model, one for embeddings and one for text. */
const listAll = async (...[world]: Parameters<CasesOf["cases"][number]["run"]>) => {
  const author = newAuthor()
  await list(
    world,
    model(`${author}/embeddings`, giving("embeddings")),
    model(`${author}/image`, giving("image", "stream", "size")),
    model(`${author}/still`, giving("image", "n")),
    model(`${author}/text`),
    model(`${author}/video`, { ...giving("video", "seed"), canonical_slug: `${author}/video-1` })
  )
  return author
}

const common = (operation: OperationId) => [
  unchanged(operation),
  ...accessCases(operation, () => ({})),
  storeGone("ModelCatalog", 500, (world) => world.call(operation))
]

export const modelKindCases: readonly CasesOf[] = [
  {
    operation: "listEmbeddingModels",
    cases: [
      {
        name: "the same as the list of models for embeddings",
        status: 200,
        run: async (world) => {
          const author = await listAll(world)
          const answer = await world.call("listEmbeddingModels")
          assert.deepEqual(
            ofAuthor(answer, author).map(({ id }) => id),
            [`${author}/embeddings`]
          )
          assert.deepEqual(answer.json, (await read(world, { output_modalities: "embeddings" })).json)
          await list(world, model(`${author}/more`, giving("embeddings")))
          const all = await world.call("listEmbeddingModels")
          const page = await world.call("listEmbeddingModels", { query: { offset: "1", limit: "1" } })
          assert.deepEqual(idsOf(page), idsOf(all).slice(1, 2))
          return page
        }
      },
      refused("listEmbeddingModels", "too many at once", { query: { limit: "1001" } }, { path: "query.limit" }),
      ...common("listEmbeddingModels")
    ]
  },
  {
    operation: "listImageModels",
    cases: [
      {
        name: "what gives images, with what all endpoints take together",
        status: 200,
        run: async (world) => {
          const author = await listAll(world)
          const answer = await world.call("listImageModels")
          assert.deepEqual(ofAuthor(answer, author), [
            {
              id: `${author}/image`,
              name: "Model",
              created: 1_767_225_600,
              description: "For tests",
              architecture: { input_modalities: ["text"], output_modalities: ["image"] },
              supported_parameters: {
                temperature: { type: "boolean" },
                tools: { type: "boolean" },
                stream: { type: "boolean" },
                size: { type: "boolean" }
              },
              supports_streaming: true,
              endpoints: `/images/models/${author}/image/endpoints`
            },
            { ...ofAuthor(answer, author)[1], id: `${author}/still`, supports_streaming: false }
          ])
          return answer
        }
      },
      ...common("listImageModels")
    ]
  },
  {
    operation: "listImageModelEndpoints",
    cases: [
      {
        name: "each endpoint with its own parameters, and a line for each price",
        status: 200,
        run: async (world) => {
          const author = newAuthor()
          const prices = {
            prompt: "0.000005",
            completion: "0.00001",
            request: "0.01",
            image: "0.002",
            image_token: "0.000008",
            image_output: "0.00003"
          }
          await list(
            world,
            model(`${author}/image`, {
              ...giving("image"),
              canonical_slug: `${author}/image-1`,
              endpoints: [
                endpoint({ tag: "acme/all", pricing: prices, supported_parameters: ["stream", "size"] }),
                endpoint({ tag: "acme/free", pricing: { prompt: "0", completion: "-1" }, supported_parameters: [] })
              ]
            })
          )
          const read = (slug: string) => world.call("listImageModelEndpoints", { params: { author, slug } })
          for (const slug of ["image-1", "image:free"]) assert.strictEqual((await read(slug)).status, 200, slug)
          const acme = { provider_name: "Acme", provider_slug: "acme", allowed_passthrough_parameters: [] }
          const answer = await read("image")
          assert.deepEqual(answer.json, {
            id: `${author}/image`,
            endpoints: [
              {
                ...acme,
                provider_tag: "acme/all",
                supported_parameters: { stream: { type: "boolean" }, size: { type: "boolean" } },
                supports_streaming: true,
                pricing: [
                  { billable: "output_image", unit: "request", cost_usd: 0.01 },
                  { billable: "output_image", unit: "token", cost_usd: 0.00003 },
                  { billable: "input_image", unit: "image", cost_usd: 0.002 },
                  { billable: "input_image", unit: "token", cost_usd: 0.000008 },
                  { billable: "input_text", unit: "token", cost_usd: 0.000005 }
                ]
              },
              {
                ...acme,
                provider_tag: "acme/free",
                supported_parameters: {},
                supports_streaming: false,
                pricing: []
              }
            ]
          })
          return answer
        }
      },
      {
        name: "a model that gives no images",
        status: 404,
        run: async (world) => {
          const author = await listAll(world)
          for (const slug of ["video", "nothing", "image%2Fx"])
            assert.strictEqual(
              (await world.call("listImageModelEndpoints", { params: { author, slug } })).status,
              404,
              slug
            )
          return world.call("listImageModelEndpoints", { params: { author, slug: "text" } })
        }
      },
      ...accessCases("listImageModelEndpoints", () => ({ params: { author: "acme", slug: "image" } })),
      storeGone("ModelCatalog", 500, (world) =>
        world.call("listImageModelEndpoints", { params: { author: "acme", slug: "image" } })
      )
    ]
  },
  {
    operation: "listVideoModels",
    cases: [
      {
        name: "what gives videos; null where the catalog does not tell",
        status: 200,
        run: async (world) => {
          const author = await listAll(world)
          const answer = await world.call("listVideoModels")
          assert.deepEqual(ofAuthor(answer, author), [
            {
              id: `${author}/video`,
              canonical_slug: `${author}/video-1`,
              name: "Model",
              created: 1_767_225_600,
              description: "For tests",
              hugging_face_id: "acme/it",
              allowed_passthrough_parameters: [],
              generate_audio: false,
              seed: true,
              creativity: null,
              pricing_skus: null,
              supported_aspect_ratios: null,
              supported_durations: null,
              supported_frame_images: null,
              supported_resolutions: null,
              supported_sizes: null,
              upscale_factor: null
            }
          ])
          return answer
        }
      },
      ...common("listVideoModels")
    ]
  }
]
