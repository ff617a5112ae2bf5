import { assert, describe, it } from "@effect/vitest"
import { createGatewarden } from "../../core/src/instance/createGatewarden.ts"
import { regionOf, type RegionPolicy } from "../../core/src/http/requestSpan.ts"
import { memory } from "../../core/src/memory/memory.ts"

const hosts = { "eu.example.com": "europe", "us.example.com": "us" } as const

const through = (trustedProxies: number | undefined, forwarded: string | undefined, host = "us.example.com") => {
  const policy: RegionPolicy = trustedProxies === undefined ? { hosts } : { hosts, trustedProxies }
  return regionOf(policy, { host, "x-forwarded-host": forwarded })
}

describe("the region of a request", () => {
  it("is the Host's where no proxy is trusted", () => {
    assert.strictEqual(through(undefined, "eu.example.com"), "us")
    assert.strictEqual(through(0, "eu.example.com, eu.example.com"), "us")
    assert.strictEqual(through(0, undefined, "EU.example.com:443"), "europe")
    assert.strictEqual(through(0, undefined, "other.example.com"), "global")
  })

  it("is that of the last host that a proxy in front forwards, which no client writes", () => {
    assert.strictEqual(through(1, "eu.example.com"), "europe")
    assert.strictEqual(through(1, "eu.example.com, us.example.com"), "us")
    assert.strictEqual(through(1, "us.example.com,eu.example.com. "), "europe")
    assert.strictEqual(through(1, undefined), "us")
  })

  it("cannot be told from a list behind several proxies", () => {
    assert.strictEqual(through(2, "eu.example.com"), "europe")
    assert.isUndefined(through(2, "eu.example.com, us.example.com"))
    assert.isUndefined(through(3, ","))
  })

  it("is asked for with 400 then, once the caller is known", async () => {
    const managementKey = "region-management-key-0123456789-abcdefg"
    const gatewarden = await createGatewarden({ store: memory(), managementKey, region: { hosts, trustProxy: 2 } })
    const ask = (headers: Record<string, string>) =>
      gatewarden.fetch(new Request("http://x/api/v1/workspaces/default", { headers }))
    const list = { "x-forwarded-host": "eu.example.com, us.example.com" }
    const authorization = `Bearer ${managementKey}`
    assert.strictEqual((await ask(list)).status, 401)
    assert.strictEqual((await ask({ authorization, "x-forwarded-host": "eu.example.com" })).status, 200)
    const refused = await ask({ authorization, ...list })
    assert.strictEqual(refused.status, 400)
    const { error } = (await refused.json()) as { error: { metadata: { issues: readonly { path: string }[] } } }
    assert.strictEqual(error.metadata.issues[0]?.path, "header.x-forwarded-host")
    await gatewarden.close()
  })
})
