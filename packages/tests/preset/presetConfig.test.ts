import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { presetConfig } from "../../core/src/preset/preset.ts"
import { fieldsFor } from "../../core/src/request/requestFields.ts"

const presetFields = fieldsFor("preset")
const others = [
  "messages",
  "stream",
  "stream_options",
  "session_id",
  "user",
  "metadata",
  "trace",
  "debug",
  "prediction"
]
const requests = fc.dictionary(fc.constantFrom(...presetFields, ...others, "__proto__", "constructor"), fc.jsonValue())

describe("presetConfig", () => {
  it("keeps the 31 fields and nothing else", () => {
    assert.strictEqual(new Set(presetFields).size, 31)
    const everything = Object.fromEntries([...presetFields, ...others].map((name) => [name, name]))
    assert.deepEqual(presetConfig(everything), Object.fromEntries(presetFields.map((name) => [name, name])))
  })

  it("drops null, and no other value that says little", () => {
    const sent = {
      model: null,
      stop: "",
      tools: [],
      logprobs: false,
      seed: 0,
      provider: {},
      reasoning: { effort: null }
    }
    assert.deepEqual(presetConfig(sent), {
      stop: "",
      tools: [],
      logprobs: false,
      seed: 0,
      provider: {},
      reasoning: { effort: null }
    })
  })

  it("keeps the text of what it keeps, in the order in which it was sent", () => {
    const text = '{"top_p":1,"logit_bias":{"__proto__":1,"constructor":2},"messages":[],"model":"m"}'
    assert.strictEqual(
      JSON.stringify(presetConfig(JSON.parse(text) as object)),
      '{"top_p":1,"logit_bias":{"__proto__":1,"constructor":2},"model":"m"}'
    )
  })

  it("is a part of the request, and once kept kept whole", () => {
    fc.assert(
      fc.property(requests, (sent) => {
        const config = presetConfig(sent)
        for (const [name, value] of Object.entries(config)) assert.strictEqual(value, sent[name])
        for (const name of presetFields) assert.strictEqual(Object.hasOwn(config, name), (sent[name] ?? null) !== null)
        assert.deepEqual(presetConfig(config), config)
      })
    )
  })
})
