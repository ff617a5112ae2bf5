/** The lists that stand on the whole catalog, without what is measured. */
import { modelSorts } from "@gatewarden/contract/internal"
import * as fc from "fast-check"
import { authors, modelSlugs } from "../admission/traffic.ts"
import { command } from "../modelBased/Command.ts"

const page = { limit: fc.constantFrom("1", "2", "0"), offset: fc.constantFrom("0", "1", "null") }
const modalities = fc.constantFrom("text", "image", "all", "text,embeddings")

export const listModels = command("listModels", {
  query: {
    ...page,
    output_modalities: modalities,
    q: fc.constantFrom("sonnet", "a", "nothing"),
    sort: fc.constantFrom(...modelSorts.filter((sort) => !/popular|weekly|throughput|latency/.test(sort)), "cheapest"),
    max_price: fc.constantFrom("0", "3", "0.5", "many"),
    zdr: fc.constantFrom("true", "false"),
    region: fc.constantFrom("eu", "us")
  }
})

export const countModels = command("countModels", { query: { output_modalities: modalities } })

export const listUserModels = command("listUserModels", { query: { ...page, output_modalities: modalities } })

const name = { author: fc.constantFrom(...authors), slug: fc.constantFrom(...modelSlugs, "sonnet-2026-01-01") }

export const getModel = command("getModel", { params: name })
export const listImageModelEndpoints = command("listImageModelEndpoints", { params: name })

export const listEmbeddingModels = command("listEmbeddingModels", { query: page })
export const listImageModels = command("listImageModels", {})
export const listVideoModels = command("listVideoModels", {})
export const listProviders = command("listProviders", {})
export const listZdrEndpoints = command("listZdrEndpoints", {})
