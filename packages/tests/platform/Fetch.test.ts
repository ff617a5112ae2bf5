/** Where outgoing requests go that nothing but `fetch` sends. Rule: operating#outgoing-calls. */
import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { type Fetch, publicFetch } from "../../core/src/platform/Fetch.ts"

const init = { method: "GET", headers: {}, redirect: "manual", signal: new AbortController().signal } as const

/** What the platform was asked, instead of asking. */
const askedOf = async (...[url, sent]: Parameters<Fetch>) => {
  const asked: unknown[] = []
  vi.stubGlobal("fetch", (...all: readonly unknown[]) => {
    asked.push(...all)
    return Promise.resolve(new Response("answer"))
  })
  try {
    assert.strictEqual(await (await publicFetch(url, sent)).text(), "answer")
    return asked
  } finally {
    vi.unstubAllGlobals()
  }
}

describe("publicFetch", () => {
  it.each([
    "http://127.0.0.1:1/",
    "http://0x7f.1:1/",
    "http://[::1]:1/",
    "http://[::ffff:10.0.0.1]/",
    "http://2130706433:1/",
    "http://localhost:1/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://a.localhost.:1/",
    "http://a.b.localhost/",
    "http://169.254.169.254/"
  ])("does not go to %s", async (url) => {
    const asked = await askedOf(url, init).then(
      () => "answered",
      (cause: Error) => [cause.name, cause.message]
    )
    assert.deepStrictEqual(asked, ["TypeError", "The address is not public"])
  })

  it.each([
    "https://example.com/",
    "https://1.example.com/",
    "https://example.com1a/",
    "https://a1/",
    "https://localhost.example.com/",
    "https://notlocalhost/",
    "https://localhosts/",
    "https://8.8.8.8/",
    "https://134744072/",
    "https://[2606:4700:4700::1111]:8443/path?query"
  ])("goes to %s, as it is told", async (url) => {
    assert.deepStrictEqual(await askedOf(url, init), [url, init])
  })

  it("shares connections as the platform does, whoever they are of", async () => {
    const url = "https://example.com/"
    assert.deepStrictEqual(await askedOf(url, { ...init, connectionsOf: "account" }), [url, init])
  })
})
