import { assert, describe, it } from "@effect/vitest"
import { Option, Tracer } from "effect"
import { makeSampler } from "../../node/src/config/makeSampler.ts"

const caller = (sampled: boolean) =>
  Option.some(Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled }))
const low = `${"f".repeat(18)}${"0".repeat(14)}`
const high = `${"0".repeat(18)}${"f".repeat(14)}`
const samples = (name: string, ratio: number, traceId: string, parent: Option.Option<Tracer.AnySpan> = Option.none()) =>
  makeSampler(name, ratio)?.({ traceId, parent })

describe("makeSampler", () => {
  it("knows OpenTelemetry's samplers and no others", () => {
    for (const name of ["always_on", "always_off", "traceidratio"])
      for (const prefix of ["", "parentbased_"]) assert.isDefined(makeSampler(prefix + name, 1))
    for (const name of ["", "xray", "parentbased_", "jaeger_remote"]) assert.isUndefined(makeSampler(name, 1))
  })

  it("asks the caller first only where it is based on the parent", () => {
    assert.isTrue(samples("parentbased_always_off", 1, low, caller(true)))
    assert.isFalse(samples("parentbased_always_on", 1, low, caller(false)))
    assert.isTrue(samples("always_on", 1, low, caller(false)))
    assert.isFalse(samples("parentbased_always_off", 1, low))
  })

  it("keeps a share of traces by the random part of their ids", () => {
    assert.isTrue(samples("traceidratio", 0.5, low))
    assert.isFalse(samples("traceidratio", 0.5, high))
    assert.isTrue(samples("traceidratio", 1, high))
    assert.isFalse(samples("traceidratio", 0, low))
  })
})
