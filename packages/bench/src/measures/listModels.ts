import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BareBytesOptions } from "../bareBytesServer.ts"
import { openHttpLoad, requestText } from "../HttpLoad.ts"
import type { Race } from "../Measure.ts"
import { type Bench, connections } from "../openBench.ts"
import { startBareServer } from "../startBareServer.ts"

const modelCount = 500
const endpointCount = 6

/** Models as catalogs have them, of which each list shows about a kilobyte. */
const catalog = ({ providers }: Bench) => ({
  models: Array.from({ length: modelCount }, (_, index) => ({
    id: `author-${index % 40}/model-${index}`,
    name: `Author ${index % 40}: Model ${index}`,
    created: 1_700_000_000 + index,
    description: "A model for the bench, with a description as long as such descriptions usually are. ".repeat(4),
    architecture: { input_modalities: ["text", "image"], output_modalities: ["text"], tokenizer: "Other" },
    endpoints: Array.from({ length: endpointCount }, (__, at) => {
      const provider = providers[(index + at) % providers.length] ?? ""
      return {
        name: `${provider} | model-${index}`,
        provider_name: provider,
        provider_slug: provider,
        tag: `${provider}/fp8`,
        context_length: 131_072,
        max_completion_tokens: 32_768,
        pricing: { prompt: "0.000001", completion: "0.000004", input_cache_read: "0.0000001" },
        supported_parameters: [
          "temperature",
          "top_p",
          "max_tokens",
          "stop",
          "seed",
          "tools",
          "tool_choice",
          "response_format"
        ]
      }
    })
  }))
})

const path = "/models"

/** Puts the catalog, and reads the list of it. */
const listed = async (bench: Bench): Promise<Uint8Array> => {
  const headers = { authorization: bench.authorization, "content-type": "application/json" }
  const put = await fetch(`${bench.url.href}/gateway/catalog`, {
    method: "PUT",
    headers,
    body: JSON.stringify(catalog(bench))
  })
  if (put.status !== 200) throw new Error(await put.text())
  const list = await fetch(bench.url.href + path, { headers })
  const bytes = new Uint8Array(await list.arrayBuffer())
  const { total_count } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly total_count: number }
  if (total_count !== modelCount) throw new Error(`Expected ${modelCount} models, found ${total_count}`)
  return bytes
}

/** The whole list of the catalog beside a server that sends the same bytes. */
export const listModels: Race = {
  kind: "race",
  name: `GET models: ${modelCount}, with ${endpointCount} endpoints each`,
  atLeast: 0.6,
  open: async (bench) => {
    const directory = await mkdtemp(join(tmpdir(), "gatewarden-bench-"))
    const file = join(directory, "models.json")
    await writeFile(file, await listed(bench))
    const options: BareBytesOptions = { keyHash: bench.keyHash, file }
    const server = await startBareServer(options, "bareBytesServer")
    const headers = { authorization: bench.authorization }
    const open = (url: URL, basePath: string) =>
      openHttpLoad(url, connections, () => requestText(url, "GET", basePath + path, headers))
    const ours = await open(bench.url, bench.url.pathname)
    const bare = await open(server.url, "")
    const label = "bare, the same bytes"
    return {
      ours: ours.run,
      bare: { [label]: bare.run },
      pids: { ours: bench.pid, bare: { [label]: server.pid } },
      close: async () => {
        for (const load of [ours, bare]) load.close()
        await server.stop()
        await rm(directory, { recursive: true })
      }
    }
  }
}
