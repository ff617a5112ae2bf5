/**
 * Models of the public model list, `GET /models` of the public API, as models of the catalog.
 *
 * The list names no provider: each model becomes one endpoint at the provider of its author, or at the one that the caller names.
 */
import type { PutCatalog } from "@gatewarden/contract/internal"
import * as z from "zod"

type SentModel = z.input<typeof PutCatalog>["models"][number]

/** The provider of an author's own models, if its slug is not the author's. */
const providers: Readonly<Record<string, string>> = {
  amazon: "amazon-nova",
  google: "google-ai-studio",
  "meta-llama": "meta",
  microsoft: "azure",
  mistralai: "mistral",
  qwen: "alibaba",
  "x-ai": "xai"
}

/** Authors that are providers under the same slug. */
const sameSlug: ReadonlySet<string> = new Set(
  (
    "ai21 aion-labs alibaba anthropic arcee-ai baidu cohere deepseek inception inflection liquid minimax moonshotai morph nvidia openai " +
    "perplexity reka relace stepfun switchpoint tencent upstage xiaomi z-ai"
  ).split(" ")
)

const providerOf = (author: string): string | undefined =>
  providers[author] ?? (sameSlug.has(author) ? author : undefined)

const count = z.int().min(0).nullish()

/** The fields that are read; the list has more. */
const ListedModel = z.object({
  id: z.string(),
  canonical_slug: z.string().nullish(),
  name: z.string(),
  created: z.int(),
  description: z.string().nullish(),
  context_length: count,
  architecture: z.unknown(),
  pricing: z.unknown(),
  top_provider: z.object({ context_length: count, max_completion_tokens: count }).partial().nullish(),
  supported_parameters: z.array(z.string()).nullish()
})

export const ModelList = z.object({ data: z.array(ListedModel) })

export interface ListedModels {
  readonly models: readonly SentModel[]
  /** Ids of the models whose author is no provider that is known here. */
  readonly skipped: readonly string[]
}

/** `provider`: the slug of the provider that serves all of them. */
export const modelsOfList = ({ data }: z.output<typeof ModelList>, provider: string | undefined): ListedModels => {
  const models: SentModel[] = []
  const skipped: string[] = []
  for (const listed of data) {
    const author = listed.id.split("/")[0] ?? ""
    const slug = provider ?? providerOf(author)
    if (slug === undefined) {
      skipped.push(listed.id)
      continue
    }
    models.push({
      id: listed.id,
      canonical_slug: listed.canonical_slug,
      name: listed.name,
      created: listed.created,
      description: listed.description ?? "",
      // The caller checks both as the catalog does.
      architecture: listed.architecture as SentModel["architecture"],
      endpoints: [
        {
          name: `${slug} | ${listed.id}`,
          provider_name: slug,
          provider_slug: slug,
          tag: slug,
          context_length: listed.top_provider?.context_length ?? listed.context_length ?? 0,
          max_completion_tokens: listed.top_provider?.max_completion_tokens ?? null,
          pricing: listed.pricing as SentModel["endpoints"][number]["pricing"],
          supported_parameters: listed.supported_parameters ?? []
        }
      ]
    })
  }
  return { models, skipped }
}
