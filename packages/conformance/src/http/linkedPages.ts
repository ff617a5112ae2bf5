import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"

/** Every page of an export from the first on, each of which names the next. */
export const linkedPages = async (
  world: World,
  operation: OperationId,
  query: Readonly<Record<string, string>>
): Promise<readonly Answer[]> => {
  const pages: Answer[] = []
  for (let next = new URLSearchParams(query).toString(); ;) {
    const page = await world.call(operation, { query: next })
    assert.strictEqual(page.status, 200, page.text)
    pages.push(page)
    const cursor = page.headers.get("x-next-cursor")
    const [, target] = /^<\?(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? []
    assert.strictEqual(new URLSearchParams(target).get("cursor"), cursor)
    if (target === undefined) return pages
    next = target
  }
}
