/** What `gatewarden doctor` says of facts, for what no machine of the tests has. */
import { assert, describe, it } from "@effect/vitest"
import { judgeMigrations } from "../../node/src/doctor/checkStore.ts"
import { judgeRowLevelSecurity } from "../../node/src/doctor/judgeRowLevelSecurity.ts"
import { judgeRuntime } from "../../node/src/doctor/judgeRuntime.ts"
import { judgeServer } from "../../node/src/doctor/judgeServer.ts"

describe("gatewarden doctor judges", () => {
  it("a runtime, a server and migrations", () => {
    const [node, pair] = judgeRuntime({ node: "18.20.0", effect: "4.1.0", platform: "4.0.6" })
    assert.deepInclude(node, { state: "fail" })
    assert.deepInclude(pair, { state: "fail" })
    assert.include(pair?.mend ?? "", "@effect/platform-node@4.1.0")
    assert.deepStrictEqual(
      judgeRuntime({ node: "24.1.0", effect: "4.1.0", platform: "4.1.2" }).map(({ state }) => state),
      ["ok", "ok"]
    )
    assert.deepInclude(judgeRuntime({ node: "20.20.2", effect: undefined, platform: "4.1.0" })[0], { state: "warn" })

    const sound = { version: 160_004, encoding: "UTF8", readOnly: false, skewMillis: 12, connections: 97, taken: 4 }
    assert.isTrue(judgeServer(sound).every(({ state }) => state === "ok"))
    const states = (facts: Partial<typeof sound>) =>
      judgeServer({ ...sound, ...facts }).flatMap(({ check, state }) => (state === "ok" ? [] : [`${check} ${state}`]))
    assert.deepStrictEqual(states({ version: 130_012 }), ["PostgreSQL fail"])
    assert.deepStrictEqual(states({ encoding: "LATIN1" }), ["encoding fail"])
    assert.deepStrictEqual(states({ skewMillis: -5_000 }), ["clock warn"])
    assert.deepStrictEqual(states({ skewMillis: 90_000 }), ["clock fail"])
    assert.deepStrictEqual(states({ connections: 20 }), ["connections warn"])
    assert.deepInclude(judgeMigrations([{ id: 1, name: "a", state: "skipped" }]), { state: "fail" })
  })

  it("row-level security by what it holds and by whether the server relies on it", () => {
    const held = { open: [], held: 46, problem: undefined }
    const open = { open: ["gatewarden_guardrail"], held: 45, problem: undefined }
    const missing = { open: [], held: 0, problem: "The role gatewarden_tenant does not exist" }
    assert.strictEqual(judgeRowLevelSecurity(held, true).state, "ok")
    for (const table of ["gatewarden_preset_version", "gatewarden_file_content"])
      assert.include(judgeRowLevelSecurity(held, true).detail, table)
    assert.strictEqual(judgeRowLevelSecurity(held, false).state, "warn")
    assert.strictEqual(judgeRowLevelSecurity(open, true).state, "fail")
    assert.include(judgeRowLevelSecurity(open, true).detail, "gatewarden_guardrail")
    assert.strictEqual(judgeRowLevelSecurity(missing, true).state, "fail")
    assert.strictEqual(judgeRowLevelSecurity(missing, false).state, "ok")
  })
})
