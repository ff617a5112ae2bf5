/** Models that are listed, events on them, and what the rankings show of them. */
import type { Answer, Call, World } from "../../World.ts"
import type { Case } from "../../http/Case.ts"
import { list, model, newAuthor, record } from "../../model/catalog.ts"

export type Query = Readonly<Record<string, string>>
export type Row = { readonly date: string; readonly model_permaslug: string; readonly total_tokens: string }

export const rank = (world: World, query: Query, call: Call = {}) => world.call("getRankingsDaily", { query, ...call })

/** The rows of one author as `[date, name without the author, tokens]`: other cases have recorded for these days, too. */
export const own = (answer: Answer, author: string): readonly (readonly [string, string, string])[] =>
  (answer.json.data as readonly Row[])
    .filter(({ model_permaslug }) => model_permaslug.startsWith(`${author}/`))
    .map(({ date, model_permaslug, total_tokens }) => [date, model_permaslug.slice(author.length + 1), total_tokens])

export const day = 86_400_000
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
export const yesterday = (world: World): number => world.installation.clock.now - day

/** Models of one new author, all listed, and events on them: `[day or instant, slug, tokens]` with more fields. */
export const scene = async (
  world: World,
  slugs: readonly string[],
  events: readonly (readonly [
    at: string,
    slug: string,
    prompt_tokens: number,
    fields?: Query | Record<string, unknown>
  ])[],
  fields: Record<string, unknown> = {}
): Promise<string> => {
  const author = newAuthor()
  await list(world, ...slugs.map((slug) => model(`${author}/${slug}`, fields)))
  await record(
    world,
    ...events.map(([at, slug, prompt_tokens, more]) => ({
      model: `${author}/${slug}`,
      created_at: at.length === 10 ? `${at}T12:00:00Z` : at,
      prompt_tokens,
      ...more
    }))
  )
  return author
}

/** A case whose answer is looked at while the author is known. */
export const shows = (name: string, run: (world: World) => Promise<Answer>): Case => ({ name, status: 200, run })

export const limitOf = (answer: Answer, policy: string): number =>
  Number(new RegExp(`"${policy}";r=(\\d+)`).exec(answer.headers.get("ratelimit") ?? "")?.[1])
