/** Whatever the policies and the catalog are: an admission or explanation that denies has reasons. */
import { assert, it } from "@effect/vitest"
import { Region } from "@gatewarden/contract"
import * as fc from "fast-check"
import { createGatewarden, memory } from "../../core/src/index.ts"
import { catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { candidates, guardrail, preferences } from "./worlds.ts"

const managementKey = `test-${"m".repeat(40)}`

it("a denial has a reason, with a sentence for each", async () => {
  const gatewarden = await createGatewarden({ store: memory(), managementKey })
  const manage = async (method: string, path: string, body?: object) => {
    const response = await gatewarden.fetch(
      new Request(`http://gatewarden.test/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    assert.strictEqual(response.status, 200, await response.clone().text())
    return (await response.json()) as { readonly key: string; readonly data: Readonly<Record<string, string>> }
  }
  const { data } = await manage("GET", "/workspaces/default")
  const { key: api_key, data: made } = await manage("POST", "/keys", { name: "app", limit: 0.1 })
  let denied = 0
  let regional = 0
  try {
    await fc.assert(
      fc.asyncProperty(
        guardrail,
        candidates,
        preferences,
        fc.constantFrom(...Region.options),
        fc.constantFrom("a/one", "a/none"),
        async (
          { id: _, workspace_id: __, name: ___, created_at, updated_at, ...policy },
          some,
          provider,
          ingress_region,
          model
        ) => {
          await manage("PATCH", `/guardrails/${data["default_guardrail_id"]}`, policy)
          const endpoints = some.map(({ endpoint }, index) => ({ ...endpoint, tag: `${endpoint.tag}-${index}` }))
          await manage("PUT", "/gateway/catalog", { models: [catalogModel("a/one", { endpoints })] })
          const asked = { model, provider, ingress_region, max_completion_tokens: 10 }
          const admission = await gatewarden.admit({ ...asked, api_key })
          const explanation = await gatewarden.explain({ ...asked, api_key_hash: made["hash"] ?? "" })
          assert.strictEqual(explanation.decision, admission.decision)
          // An admission that policy denies asks for no budget; an explanation names those, too.
          assert.includeDeepMembers([...explanation.reasons], [...admission.reasons])
          assert.lengthOf(admission.issues, admission.reasons.length)
          assert.lengthOf(explanation.issues, explanation.reasons.length)
          if (admission.decision === "allow") return gatewarden.cancel(admission.id)
          denied++
          assert.isNotEmpty(admission.reasons)
          if (explanation.regions.missing.length > 0) regional++
          return undefined
        }
      ),
      { numRuns: 150 }
    )
  } finally {
    await gatewarden.close()
  }
  assert.isAbove(denied, 50)
  assert.isAbove(regional, 0)
})
