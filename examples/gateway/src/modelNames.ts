/**
 * Names of models as clients of one provider write them: `gpt-4o-mini` is the catalog's `openai/gpt-4o-mini`, and `claude-haiku-4-5` or
 * `claude-haiku-4-5-20251001` is what an upstream calls `anthropic/claude-haiku-4.5`.
 */
import type { Gatewarden } from "@gatewarden/core"
import { createHash } from "node:crypto"
import { loopShare } from "./LoopShare.ts"
import type { Upstreams } from "./Upstream.ts"

interface Known {
  readonly until: number
  readonly id: Promise<string | undefined>
}

const keptMillis = 60_000
const longestName = 256
/** Names that are kept, each of one key. */
const mostKept = 10_000

/** A longer list is read in its turn: an account may have many models of its own that have a name in theirs. In characters. */
const shortList = 262_144

/** The id whose part behind its author is the name; `undefined` if there is none, or if several authors have a model of that name. */
const readId = async (
  gatewarden: Pick<Gatewarden, "basePath" | "fetch">,
  { api_key, owner }: { readonly api_key: string; readonly owner: string },
  name: string
): Promise<string | undefined> => {
  const query = new URLSearchParams({ output_modalities: "all", limit: "1000", q: name })
  const asked = new Request(`http://localhost${gatewarden.basePath}/models?${query}`, {
    headers: { authorization: `Bearer ${api_key}` }
  })
  const answered = await gatewarden.fetch(asked)
  // The decision tells what is wrong with the key.
  if (!answered.ok) return undefined
  const text = await answered.text()
  if (text.length > shortList) await loopShare.take(text.length, owner)
  const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] }
  const [first, second] = data.filter(({ id }) => id.slice(id.indexOf("/") + 1) === name)
  return second === undefined ? first?.id : undefined
}

/** The day that Anthropic's clients add to a name. */
const day = /-20\d{6}$/

/** Ids by what upstreams call them. */
const upstreamNames = (upstreams: Upstreams): ReadonlyMap<string, string> =>
  new Map(
    Object.values(upstreams).flatMap(({ models = {} }) =>
      Object.entries(models).map(([id, name]) => [name, id] as const)
    )
  )

/** Makes a function that tells the id of a name; a name that it does not know stays as it is. The key itself is not kept. */
export const modelNames = (gatewarden: Pick<Gatewarden, "basePath" | "fetch">, upstreams: Upstreams) => {
  const ofUpstreams = upstreamNames(upstreams)
  const kept = new Map<string, Known>()
  const idOf = (api_key: string, name: string): Promise<string | undefined> => {
    const now = performance.now()
    const owner = createHash("sha256").update(api_key).digest("base64")
    const place = `${owner} ${name}`
    const known = kept.get(place)
    if (known !== undefined && known.until > now) return known.id
    const id = readId(gatewarden, { api_key, owner }, name)
    kept.delete(place)
    kept.set(place, { until: now + keptMillis, id })
    id.catch(() => kept.delete(place))
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break
      kept.delete(oldest)
    }
    return id
  }
  return async (api_key: string, name: string): Promise<string> => {
    if (name === "" || name.includes("/") || name.length > longestName) return name
    const called = ofUpstreams.get(name) ?? ofUpstreams.get(name.replace(day, ""))
    if (called !== undefined) return called
    const exact = await idOf(api_key, name)
    if (exact !== undefined) return exact
    const [base = "", variant] = name.split(":")
    const known = variant === undefined ? undefined : await idOf(api_key, base)
    return known === undefined ? name : `${known}:${variant}`
  }
}
