import { assert, describe, it } from "@effect/vitest"
import { createGatewarden, memory } from "../../core/src/index.ts"
import { errorPage } from "../../core/src/http/errorPages.ts"
import { docUrlPattern, errorDocsFor, targetOf } from "../../core/src/http/target.ts"

/** Where a client finds the page of a reason, and what the instance answers there once the host has taken its mount away. */
const lead = (where: Parameters<typeof errorDocsFor>[0], mount: string, url: string) => {
  const at = new URL(`${errorDocsFor(where, url)}not_found`, `https://host.test${mount}${url}`)
  const target = at.pathname.slice(mount.length)
  return [at.pathname, targetOf(where, { method: "GET", url: target }).found.kind]
}

describe("what doc_url begins with", () => {
  const kept = { basePath: "/api/v1", prefix: "kept" } as const
  const either = { basePath: "/api/v1", prefix: "either" } as const
  const root = { basePath: "/", prefix: "kept" } as const
  for (const [name, where, mount, url, path] of [
    ["an operation", kept, "", "/api/v1/key", "/api/v1/errors/not_found"],
    ["one with a query", kept, "", "/api/v1/keys?offset=1/2", "/api/v1/errors/not_found"],
    ["one with a long path", kept, "", "/api/v1/guardrails/1/assignments/keys", "/api/v1/errors/not_found"],
    ["a trailing slash", kept, "", "/api/v1/keys/", "/api/v1/errors/not_found"],
    ["a proxy that puts it elsewhere", kept, "/gateway", "/api/v1/keys/1", "/gateway/api/v1/errors/not_found"],
    ["a path outside the base path", kept, "/gateway", "/a/b", "/gateway/api/v1/errors/not_found"],
    ["the root", kept, "", "/", "/api/v1/errors/not_found"],
    ["a host that strips the base path", either, "/gate/v2", "/keys/1", "/gate/v2/errors/not_found"],
    ["a host that keeps the base path", either, "", "/api/v1/keys/1", "/api/v1/errors/not_found"],
    ["a base path of nothing", root, "/mount", "/keys/1", "/mount/errors/not_found"]
  ] as const)
    it(`leads to the page from ${name}`, () => {
      assert.deepEqual(lead(where, mount, url), [path, "page"])
    })

  it("is a path where there is no target to be relative to", () => {
    assert.strictEqual(errorDocsFor(kept, ""), "/api/v1/errors/")
    assert.strictEqual(errorDocsFor(kept, "*"), "/api/v1/errors/")
    assert.strictEqual(errorDocsFor(root, "https://host.test/keys"), "/errors/")
  })

  it("is below the public address", () => {
    assert.strictEqual(
      errorDocsFor({ ...either, publicUrl: "https://host.test/gate" }, "/keys/1"),
      "https://host.test/gate/errors/"
    )
  })

  it("is the address that the host gives", () => {
    assert.strictEqual(
      errorDocsFor({ ...kept, docUrl: "https://docs.test/errors#" }, "/api/v1/key"),
      "https://docs.test/errors#"
    )
  })

  it("is what the option of an instance says", async () => {
    const gatewarden = await createGatewarden({ store: memory(), docUrl: "https://docs.test/errors/" })
    const response = await gatewarden.fetch(new Request("http://host.test/api/v1/guardrails/1"))
    const { error } = (await response.json()) as { error: { metadata: { doc_url: string } } }
    assert.strictEqual(error.metadata.doc_url, "https://docs.test/errors/missing_authentication")
    await gatewarden.close()
  })

  it("can take a reason at its end", () => {
    for (const [text, fits] of [
      ["https://docs.test/errors/", true],
      ["http://docs.test/errors#", true],
      ["https://docs.test/?reason=", true],
      ["https://docs.test/errors", false],
      ["/errors/", false],
      ["javascript:alert(1)/", false],
      ['https://docs.test/"/', false]
    ] as const)
      assert.strictEqual(docUrlPattern.test(text), fits, text)
  })
})

describe("the pages on reasons", () => {
  it("are those of the table, and no property of objects", () => {
    assert.isFunction(errorPage("/errors"))
    for (const path of ["/errors/", "/errors/nothing", "/errors/toString", "/errors/__proto__", "/errors/not_found/"])
      assert.isUndefined(errorPage(path), path)
  })

  it("escape what a text has of HTML", () => {
    assert.notMatch(errorPage("/errors")?.() ?? "", /&(?!amp;|lt;|gt;|quot;)/)
  })
})
