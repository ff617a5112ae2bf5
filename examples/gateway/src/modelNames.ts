/**
 * Names of models as clients of one provider write them: `gpt-4o-mini` is the catalog's `openai/gpt-4o-mini`, and `claude-haiku-4-5` or
 * `claude-haiku-4-5-20251001` is what an upstream calls `anthropic/claude-haiku-4.5`.
 */
import type { Gatewarden } from "@gatewarden/core"
import { createHash } from "node:crypto"
import type { Upstreams } from "./Upstream.ts"

/** Ids by what follows their author; `undefined` where several authors have a model of that name. */
type Ids = ReadonlyMap<string, string | undefined>

interface Known {
  readonly until: number
  readonly ids: Promise<Ids>
}

const keptMillis = 60_000
/** Lists that are kept, of one key each. */
const mostKept = 100

const readIds = async (gatewarden: Pick<Gatewarden, "basePath" | "fetch">, api_key: string): Promise<Ids> => {
  const asked = new Request(`http://localhost${gatewarden.basePath}/models?output_modalities=all`, {
    headers: { authorization: `Bearer ${api_key}` }
  })
  const answered = await gatewarden.fetch(asked)
  // The decision tells what is wrong with the key.
  if (!answered.ok) return new Map()
  const { data } = (await answered.json()) as { readonly data: readonly { readonly id: string }[] }
  const ids = new Map<string, string | undefined>()
  for (const { id } of data) {
    const name = id.slice(id.indexOf("/") + 1)
    ids.set(name, ids.has(name) ? undefined : id)
  }
  return ids
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
  const lists = new Map<string, Known>()
  const idsFor = (api_key: string): Promise<Ids> => {
    const now = performance.now()
    const owner = createHash("sha256").update(api_key).digest("base64")
    const known = lists.get(owner)
    if (known !== undefined && known.until > now) return known.ids
    const ids = readIds(gatewarden, api_key)
    lists.delete(owner)
    lists.set(owner, { until: now + keptMillis, ids })
    ids.catch(() => lists.delete(owner))
    for (const oldest of lists.keys()) {
      if (lists.size <= mostKept) break
      lists.delete(oldest)
    }
    return ids
  }
  return async (api_key: string, name: string): Promise<string> => {
    if (name === "" || name.includes("/")) return name
    const called = ofUpstreams.get(name) ?? ofUpstreams.get(name.replace(day, ""))
    if (called !== undefined) return called
    const ids = await idsFor(api_key)
    const [base = "", variant] = name.split(":")
    const known = ids.get(name) ?? ids.get(base)
    return known === undefined ? name : ids.has(name) || variant === undefined ? known : `${known}:${variant}`
  }
}
