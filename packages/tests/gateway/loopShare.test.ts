/** The reference gateway: what answers take of the event loop, so that whoever else waits has its turn. */
import { assert, it } from "@effect/vitest"
import { LoopShare } from "../../../examples/gateway/src/LoopShare.ts"

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A clock that is turned by hand, and what waits for it. */
const handClock = () => {
  const rests: { readonly millis: number; readonly go: () => void }[] = []
  let millis = 0
  return {
    rests,
    pass: (more: number) => void (millis += more),
    now: () => millis,
    later: (millis: number, go: () => void) => void rests.push({ millis, go })
  }
}

it("gives accounts their turns one after the other, and not all at once", async () => {
  const share = new LoopShare(100, handClock())
  const had: string[] = []
  assert.isUndefined(share.take(100, "a"))
  for (const owner of ["a", "a", "a", "b"]) void share.take(100, owner)?.then(() => had.push(owner))
  const seen: string[] = []
  for (let count = 0; count < 6; count++) {
    await turn()
    seen.push(had.join(""))
  }
  assert.deepEqual(
    seen.filter((one, index) => one !== seen[index - 1]),
    ["a", "ab", "aba", "abaa"]
  )
})

it("begins what may take long in a turn of its own, and lets short pieces pass meanwhile", async () => {
  const share = new LoopShare(65_536, handClock())
  assert.isUndefined(share.take(16_384, "a"))
  const long = share.take(16_385, "a")
  assert.isDefined(long)
  await long
  await turn()
  assert.isUndefined(share.take(16_384, "a"))
})

it("lets whoever had a turn that took long rest as long, but not for ever, and nobody else", async () => {
  const clock = handClock()
  const share = new LoopShare(65_536, clock)
  for (const [took, rest] of [
    [49, undefined],
    [50, 50],
    [600, 600],
    [5_000, 1_000]
  ] as const) {
    void share.take(1_000_000, "a")?.then(() => clock.pass(took))
    await turn()
    await turn()
    const resting = clock.rests.pop()
    assert.strictEqual(resting?.millis, rest)
    if (rest === undefined) continue
    let hadTurn = false
    void share.take(10, "a")?.then(() => (hadTurn = true))
    // While it rests, others go on, with what is short and with what is long.
    assert.isUndefined(share.take(10, "b"))
    await share.take(1_000_000, "b")
    await turn()
    assert.isFalse(hadTurn)
    resting?.go()
    await turn()
    await turn()
    assert.isTrue(hadTurn)
  }
})

it("counts a turn of several against whoever had most of it", async () => {
  const clock = handClock()
  const share = new LoopShare(65_536, clock)
  assert.isUndefined(share.take(65_536 / 4, "c"))
  void share.take(1_000_000, "c")
  for (const owner of ["a", "b", "b"]) void share.take(10_000, owner)?.then(() => clock.pass(20))
  for (let count = 0; count < 4; count++) await turn()
  assert.deepEqual(
    clock.rests.map(({ millis }) => millis),
    [60]
  )
  assert.isUndefined(share.take(10, "a"))
  assert.isDefined(share.take(10, "b"))
})

it("does not rest because of what others do in the loop", async () => {
  const clock = handClock()
  const share = new LoopShare(65_536, clock)
  for (let count = 0; count < 5; count++) {
    const long = share.take(1_000_000, "a")
    // Before the turn begins.
    clock.pass(600)
    await long
    await turn()
  }
  assert.lengthOf(clock.rests, 0)
})
