import { assert, describe, it } from "@effect/vitest"
import { keyMaterial } from "../../core/src/byok/byok.ts"

const regional = (fields: object) => JSON.stringify({ api_key: "sk-1", ...fields })

describe("keyMaterial", () => {
  it("reads the region of keys of OpenAI and Fireworks", () => {
    for (const provider of ["openai", "fireworks"]) {
      assert.deepEqual(keyMaterial(provider, regional({ region: "europe" })), { api_key: "sk-1", region: "europe" })
      assert.deepEqual(keyMaterial(provider, ` \n${regional({ region: "eu" })}`), { api_key: "sk-1", region: "europe" })
      assert.deepEqual(keyMaterial(provider, regional({ region: "us", more: 1 })), { api_key: "sk-1", region: "us" })
      assert.deepEqual(keyMaterial(provider, regional({ region: "global" })), { api_key: "sk-1", region: "global" })
    }
  })

  it("takes a key that names no region as it is, or its api_key", () => {
    for (const key of [
      "sk-1",
      "short",
      '["a"]',
      '{"private_key":"a"}',
      '{"api_key":7}',
      '{"api_key":"","region":null}'
    ])
      assert.deepEqual(keyMaterial("openai", key), { api_key: key, region: null })
    assert.deepEqual(keyMaterial("openai", regional({})), { api_key: "sk-1", region: null })
    assert.deepEqual(keyMaterial("openai", regional({ region: null })), { api_key: "sk-1", region: null })
  })

  it("reads no key of another provider", () => {
    for (const provider of ["azure", "amazon-bedrock", "anthropic"])
      for (const key of [regional({ region: "europe" }), '{"api_key"'])
        assert.deepEqual(keyMaterial(provider, key), { api_key: key, region: null })
  })

  it("refuses what readers of JSON may read differently, and regions that nobody knows", () => {
    for (const key of [
      '{"api_key":"sk-1","region":"us","region":"europe"}',
      '{"api_key":"sk-1","region":"us"',
      regional({ region: "us-east-1" }),
      regional({ region: "Europe" }),
      regional({ region: "" }),
      regional({ region: 1 }),
      regional({ region: ["europe"] }),
      '{"region":"europe"}',
      '{"api_key":"","region":"europe"}',
      '{"api_key":["sk-1"],"region":"europe"}'
    ])
      assert.isUndefined(keyMaterial("openai", key), key)
  })
})
