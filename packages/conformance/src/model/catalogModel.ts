/** Models and endpoints as a catalog keeps them, and as it is told of them: what is not named is at its least. */
import { CatalogEndpoint, CatalogModel } from "@gatewarden/contract"
import type * as z from "zod"

/** An endpoint of a provider, named after it, of a thousand tokens; free of charge. */
export const catalogEndpoint = (
  provider: string,
  fields: Partial<z.input<typeof CatalogEndpoint>> = {}
): CatalogEndpoint =>
  CatalogEndpoint.parse({
    name: provider,
    provider_name: provider,
    provider_slug: provider,
    tag: provider,
    context_length: 1000,
    pricing: { prompt: "0", completion: "0" },
    ...fields
  })

/** A model that reads and writes text, named after its id; without endpoints. */
export const catalogModel = (id: string, fields: Partial<z.input<typeof CatalogModel>> = {}): CatalogModel =>
  CatalogModel.parse({
    id,
    name: id,
    created: 0,
    architecture: { input_modalities: ["text"], output_modalities: ["text"] },
    endpoints: [],
    ...fields
  })
