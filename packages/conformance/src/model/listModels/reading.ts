/** What cases of model lists read. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../../World.ts"

export type Query = Readonly<Record<string, string>>

export const read = (world: World, query: Query = {}) => world.call("listModels", { key: world.normalKey, query })

/** Those of an author: other cases have listed models of theirs. */
export const ofAuthor = (answer: Answer, author: string): readonly Record<string, unknown>[] =>
  answer.json.data.filter(({ id }: { readonly id: string }) => id.startsWith(`${author}/`))

export const idsOf = (answer: Answer): readonly string[] =>
  answer.json.data.map(({ id }: { readonly id: string }) => id)

/** The slugs of the author's models that a query lists, in order. */
export const slugsOf = async (world: World, author: string, query: Query): Promise<readonly string[]> => {
  const answer = await read(world, { model_authors: author, ...query })
  assert.strictEqual(answer.status, 200, answer.text)
  return idsOf(answer).map((id) => id.slice(author.length + 1))
}
