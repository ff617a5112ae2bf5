/** What an explanation takes beside the admission of the same request, in process, on the in-memory store. */
import { createGatewarden, memory } from "@gatewarden/core"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import type { Reading } from "../Measure.ts"
import { median } from "../median.ts"

const managementKey = `bench-${"k".repeat(40)}`

const endpoint = (index: number) =>
  catalogEndpoint(`provider-${index}`, {
    tag: `provider-${index}/fp8`,
    context_length: 100_000,
    pricing: { prompt: "0.000003", completion: "0.000015" }
  })

const calls = 400
const rounds = 7

export const explainRequest: Reading = {
  kind: "reading",
  name: "explain beside admit: 20 candidates, a guardrail, a key with a limit",
  unit: "times as long",
  atMost: 3,
  gated: true,
  read: async () => {
    const gatewarden = await createGatewarden({ store: memory(), managementKey })
    const send = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
      const answer = await gatewarden.fetch(
        new Request(`http://bench${gatewarden.basePath}${path}`, {
          method,
          headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      )
      if (answer.status !== 200) throw new Error(await answer.text())
      return (await answer.json()) as Record<string, string>
    }
    await send("PUT", "/gateway/catalog", {
      models: [catalogModel("acme/sonnet", { endpoints: Array.from({ length: 20 }, (_, index) => endpoint(index)) })]
    })
    const { key: api_key = "" } = await send("POST", "/keys", { name: "bench", limit: 1_000_000 })
    const asked = { api_key, model: "acme/sonnet", max_completion_tokens: 1000, provider: { ignore: ["provider-1"] } }
    // What is held is given back at once, so that the store stays as it is; that is part of neither.
    const time = async (work: () => Promise<() => Promise<unknown>>): Promise<number> => {
      let taken = 0
      for (let call = 0; call < calls; call++) {
        const start = performance.now()
        const undo = await work()
        taken += performance.now() - start
        await undo()
      }
      return taken
    }
    const admit = async () => {
      const { id } = await gatewarden.admit(asked)
      return () => gatewarden.cancel(id)
    }
    const explain = async () => {
      await gatewarden.explain(asked)
      return () => Promise.resolve()
    }
    const ratios: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const ratio = (await time(explain)) / (await time(admit))
      if (round > 0) ratios.push(ratio)
    }
    await gatewarden.close()
    return { value: median(ratios) }
  }
}
