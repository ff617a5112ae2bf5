import { assert, describe, it } from "@effect/vitest"
import { wireProfileOf } from "../../core/src/http/wireProfile.ts"

describe("wireProfileOf", () => {
  const agents = [
    "speakeasy-sdk/typescript 1.3.19",
    "OpenAI/JS 6.49.0",
    "AsyncOpenAI/Python 2.8.0",
    "curl/8",
    "",
    undefined
  ]

  it("tells generated clients by their User-Agent", () => {
    const told = agents.map((agent) => wireProfileOf("auto", agent))
    assert.deepEqual(told, ["openrouter", "openai", "openai", "spec", "spec", "spec"])
  })

  it("is the one that the operator chose, whoever asks", () => {
    for (const profile of ["spec", "openrouter"] as const)
      for (const agent of agents) assert.strictEqual(wireProfileOf(profile, agent), profile)
  })

  it("takes no name for a client that only contains one", () => {
    for (const agent of ["MyOpenAI/1", "x speakeasy-sdk/1", "openai/1", "OpenAI"])
      assert.strictEqual(wireProfileOf("auto", agent), "spec")
  })
})
