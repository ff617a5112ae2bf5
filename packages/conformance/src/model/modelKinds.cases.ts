/** Lists of models by what they give: `listEmbeddingModels`, `listImageModels`, `listVideoModels`. */
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
              endpoints: `/models/${author}/image/endpoints`
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
