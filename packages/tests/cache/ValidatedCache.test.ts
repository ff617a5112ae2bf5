/** What is remembered, and when it counts: a log of changes and a clock by hand, and look-ups that are counted. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { makeFreshness } from "../../core/src/cache/Freshness.ts"
import { makeValidatedCache } from "../../core/src/cache/ValidatedCache.ts"
import { makeTurns } from "../../core/src/value/Turns.ts"
import { type Change, type Changes, ChangeLog } from "../../core/src/ports/changeLog.ts"

const key = (id: string): Change => ({ account_id: "acme", noun: "key", id, workspace_id: null })

const world = () => {
  const state = { now: 1_000_000, reads: 0, lookUps: 0, isBroken: false, changes: [] as Changes }
  const hearers: Effect.Effect<void>[] = []
  const held: Deferred.Deferred<void>[] = []
  const asked: (string | undefined)[] = []
  const log = ChangeLog.of({
    since: (position) =>
      Effect.suspend(() => {
        state.reads++
        asked.push(position)
        if (state.isBroken) return Effect.die(new Error("gone"))
        const changes = position === undefined ? "everything" : state.changes
        state.changes = []
        return Effect.as(held[0] === undefined ? Effect.void : Deferred.await(held[0]), {
          position: String(state.reads),
          changes
        })
      }),
    announce: Effect.void,
    hear: (onAnnounced) => {
      hearers.push(onAnnounced)
      return Effect.never
    }
  })
  const freshness = makeFreshness(Effect.runFork)
  const cache = makeValidatedCache<number>(freshness, 3)
  freshness.onChange((changes) => {
    if (changes === "everything") return cache.clear()
    for (const { id } of changes) cache.forget(id)
  })
  const lookUp = Effect.sync(() => ++state.lookUps)
  const run = <A, E>(effect: Effect.Effect<A, E, ChangeLog>): Promise<A> =>
    Effect.runPromise(effect.pipe(Effect.provideService(ChangeLog, log), byHand(state)))
  const get = (name: string, how: Effect.Effect<number> = lookUp) => run(cache.get(name, how))
  const announced = () => Promise.all(hearers.map((onAnnounced) => run(onAnnounced)))
  return { state, held, asked, hearers, cache, run, get, lookUp, announced }
}

describe("a cache that counts while the log was read", () => {
  it("reads the log once a second for any number of requests, and looks up once", async () => {
    const { state, get, cache } = world()
    await Promise.all(Array.from({ length: 50 }, () => get("a")))
    assert.strictEqual(state.reads, 1)
    const found = await get("a")
    assert.strictEqual(cache.kept("a", state.now), found)
    const lookUps = state.lookUps
    state.now += 999
    assert.strictEqual(await get("a"), found)
    assert.strictEqual(state.reads, 1)
    for (let second = 2; second <= 20; second++) {
      state.now += 1_000
      assert.isUndefined(cache.kept("a", state.now))
      await Promise.all(Array.from({ length: 50 }, () => get("a")))
      assert.strictEqual(state.reads, second)
    }
    assert.strictEqual(state.lookUps, lookUps)
    state.now += 60_000
    await get("a")
    assert.deepStrictEqual([state.reads, state.lookUps], [21, lookUps + 1])
  })

  it("forgets what changed and nothing else", async () => {
    const { state, get } = world()
    const [a, b] = [await get("a"), await get("b")]
    state.changes = [key("a")]
    assert.strictEqual(await get("a"), a)
    state.now += 1_000
    assert.notStrictEqual(await get("a"), a)
    assert.strictEqual(await get("b"), b)
    state.changes = "everything"
    state.now += 1_000
    assert.notStrictEqual(await get("b"), b)
  })

  it("forgets at once what is announced, which is not why the rest counts any longer", async () => {
    const { state, hearers, get, cache, announced } = world()
    await announced()
    const [a, b] = [await get("a"), await get("b")]
    assert.lengthOf(hearers, 1)
    state.changes = [key("a")]
    await announced()
    assert.strictEqual(state.reads, 2)
    assert.isUndefined(cache.kept("a", state.now))
    assert.strictEqual(cache.kept("b", state.now), b)
    assert.notStrictEqual(await get("a"), a)
    state.now += 999
    await announced()
    assert.strictEqual(state.reads, 3)
    state.now += 1
    assert.isUndefined(cache.kept("b", state.now))
    // Nobody has asked for a second: whoever does will read.
    await announced()
    assert.strictEqual(state.reads, 3)
    assert.strictEqual(await get("b"), b)
    assert.deepStrictEqual([state.reads, hearers.length], [4, 1])
  })

  it("does not miss what is announced while a read that looked before is under way", async () => {
    const { state, held, asked, get, run, cache, announced } = world()
    await get("a")
    state.now += 1_000
    const mayEnd = (held[0] = Deferred.makeUnsafe<void>())
    const reading = get("a")
    state.changes = [key("a")]
    held.length = 0
    await announced()
    await run(Deferred.succeed(mayEnd, undefined))
    await reading
    assert.deepStrictEqual([state.reads, state.changes], [3, []])
    assert.strictEqual(await get("a"), 2)
    assert.strictEqual(cache.kept("a", state.now), 2)
    // The one that looked before ended last; what the other was told is not asked for again.
    state.now += 1_000
    await get("a")
    assert.deepStrictEqual(asked, [undefined, "1", "1", "3"])
  })

  it("counts on when what is announced cannot be read, until its second is over", async () => {
    const { state, get, cache, announced } = world()
    const a = await get("a")
    state.isBroken = true
    await announced()
    assert.strictEqual(cache.kept("a", state.now), a)
    state.isBroken = false
    state.changes = [key("a")]
    state.now += 1_000
    assert.notStrictEqual(await get("a"), a)
  })

  it("does not count while the log cannot be read, nor after the clock was set back", async () => {
    const { state, get, cache } = world()
    const a = await get("a")
    state.now -= 1
    assert.isUndefined(cache.kept("a", state.now))
    assert.strictEqual(await get("a"), a)
    state.now += 1_000
    state.isBroken = true
    const lookUps = state.lookUps
    await get("a")
    await get("a")
    assert.strictEqual(state.lookUps, lookUps + 2)
    state.isBroken = false
    state.changes = [key("a")]
    await get("a")
    assert.strictEqual(state.lookUps, lookUps + 3)
  })

  it("keeps nothing that a change overtook, or that failed", async () => {
    const { state, get, run, cache, lookUp } = world()
    await get("a")
    const mayEnd = Deferred.makeUnsafe<void>()
    const slow = get("b", Effect.andThen(Deferred.await(mayEnd), lookUp))
    state.changes = [key("b")]
    state.now += 1_000
    await get("a")
    await run(Deferred.succeed(mayEnd, undefined))
    const old = await slow
    assert.isUndefined(cache.kept("b", state.now))
    assert.notStrictEqual(await get("b"), old)
    await run(Effect.exit(cache.get("c", Effect.fail("none"))))
    assert.isUndefined(cache.kept("c", state.now))
  })

  it("shares a look-up among those that ask meanwhile, though the first leaves, unless a change overtakes it", async () => {
    const { state, run, cache, lookUp } = world()
    await run(cache.share("a", lookUp))
    cache.clear()
    const mayEnd = Deferred.makeUnsafe<void>()
    const slow = Effect.andThen(Deferred.await(mayEnd), lookUp)
    const share = cache.share("a", slow)
    const lookUps = state.lookUps
    const [first, others] = await run(
      Effect.gen(function* () {
        const leader = yield* Effect.forkChild(share)
        yield* Effect.yieldNow
        const followers = yield* Effect.forkChild(Effect.all([share, share], { concurrency: 2 }))
        yield* Effect.yieldNow
        cache.forget("a")
        const late = yield* Effect.forkChild(share)
        yield* Effect.yieldNow
        const leaving = yield* Effect.forkChild(Fiber.interrupt(leader))
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(leaving)
        return [yield* Fiber.join(followers), yield* Fiber.join(late)] as const
      })
    )
    assert.strictEqual(first[0], first[1])
    assert.notStrictEqual(others, first[0])
    assert.strictEqual(state.lookUps, lookUps + 2)
    assert.strictEqual(cache.kept("a", state.now), others)
    // Nothing is left of a flight that failed.
    assert.isTrue((await run(Effect.exit(cache.share("f", Effect.fail("none")))))._tag === "Failure")
    assert.strictEqual(await run(cache.share("f", lookUp)), state.lookUps)
  })

  it("ends a shared look-up with its caller, and the next of those that wait looks up", async () => {
    const { state, run, cache, lookUp } = world()
    const mayEnd = Deferred.makeUnsafe<void>()
    let begun = 0
    const slow = Effect.andThen(
      Effect.sync(() => begun++),
      Effect.andThen(Deferred.await(mayEnd), lookUp)
    )
    const found = await run(
      Effect.gen(function* () {
        const share = Effect.forkChild(cache.share("a", slow), { startImmediately: true })
        const [leader, ...others] = yield* Effect.all([share, share, share])
        // Ends before the look-up could.
        yield* Fiber.interrupt(leader)
        yield* Effect.yieldNow
        assert.strictEqual(begun, 2)
        yield* Deferred.succeed(mayEnd, undefined)
        return yield* Effect.all(others.map(Fiber.join))
      })
    )
    assert.deepEqual(found, [1, 1])
    assert.deepEqual([begun, state.lookUps, cache.kept("a", state.now)], [2, 1, 1])
  })

  it("goes on with a shared look-up whose first caller leaves while it waits for a turn", async () => {
    const { state, run, cache, lookUp } = world()
    const { within } = makeTurns({ atOnce: 1, ofAccount: 1, waiting: 10, refusal: () => "too many" as const })
    const mayEnd = Deferred.makeUnsafe<void>()
    const share = cache.share("a", within("acme")(lookUp))
    const found = await run(
      Effect.gen(function* () {
        const before = yield* Effect.forkChild(within("acme")(Deferred.await(mayEnd)), { startImmediately: true })
        const leader = yield* Effect.forkChild(share)
        yield* Effect.yieldNow
        const follower = yield* Effect.forkChild(share)
        yield* Effect.yieldNow
        const leaving = yield* Effect.forkChild(Fiber.interrupt(leader))
        yield* Effect.yieldNow
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(before)
        yield* Fiber.join(leaving)
        return yield* Fiber.join(follower)
      })
    )
    assert.strictEqual(found, state.lookUps)
    assert.strictEqual(cache.kept("a", state.now), found)
  })

  it("forgets by what is kept, or all of it, and keeps no look-up that this overtook", async () => {
    for (const isAll of [false, true]) {
      const { state, get, run, cache, lookUp } = world()
      const [a, b] = [await get("a"), await get("b")]
      const mayEnd = Deferred.makeUnsafe<void>()
      const slow = get("c", Effect.andThen(Deferred.await(mayEnd), lookUp))
      if (isAll) cache.clear()
      else cache.forgetWhere((name, value) => name === "a" && value === a)
      assert.isUndefined(cache.kept("a", state.now))
      assert.strictEqual(cache.kept("b", state.now), isAll ? undefined : b)
      await run(Deferred.succeed(mayEnd, undefined))
      await slow
      assert.isUndefined(cache.kept("c", state.now))
    }
  })

  it("forgets one owner's entries and look-ups and leaves those of the others", async () => {
    const { state, run, cache, lookUp } = world()
    const get = (name: string, owner: string, how: Effect.Effect<number> = lookUp) => run(cache.get(name, how, owner))
    const [a, b] = [await get("a", "acme"), await get("a", "globex")]
    assert.notStrictEqual(a, b)
    const mayEnd = Deferred.makeUnsafe<void>()
    const slow = Effect.andThen(Deferred.await(mayEnd), lookUp)
    const late = [get("b", "acme", slow), get("b", "globex", slow)]
    cache.forgetOwner("acme")
    assert.isUndefined(cache.kept("a", state.now, "acme"))
    assert.strictEqual(cache.kept("a", state.now, "globex"), b)
    await run(Deferred.succeed(mayEnd, undefined))
    const [, kept] = await Promise.all(late)
    assert.isUndefined(cache.kept("b", state.now, "acme"))
    assert.strictEqual(cache.kept("b", state.now, "globex"), kept)
    cache.forget("a", "acme")
    assert.strictEqual(cache.kept("a", state.now, "globex"), b)
  })

  it("evicts the oldest entry of an owner that fills half of it, and otherwise the oldest of all", async () => {
    const { state, run, cache, lookUp } = world()
    const get = (name: string, owner: string) => run(cache.get(name, lookUp, owner))
    const isKept = (name: string, owner: string) => cache.kept(name, state.now, owner) !== undefined
    const other = await get("a", "globex")
    for (const name of ["a", "b", "c", "d"]) await get(name, "acme")
    assert.strictEqual(cache.kept("a", state.now, "globex"), other)
    assert.deepEqual(
      ["a", "b", "c", "d"].map((name) => isKept(name, "acme")),
      [false, false, true, true]
    )
    await get("a", "third")
    assert.isFalse(isKept("a", "globex"))
    await get("a", "fourth")
    assert.deepEqual(
      [isKept("c", "acme"), isKept("d", "acme"), isKept("a", "third"), isKept("a", "fourth")],
      [false, true, true, true]
    )
  })

  it("weighs what was asked, too", async () => {
    const { run, state } = world()
    const answers = makeValidatedCache<string>(
      makeFreshness(Effect.runFork),
      10,
      (text, asked) => text.length + asked.length
    )
    for (const asked of ["aaaa", "bbbb"]) await run(answers.get(asked, Effect.succeed("x"), asked))
    await run(answers.get("cccc", Effect.succeed("x"), "cccc"))
    assert.deepEqual(
      ["aaaa", "bbbb", "cccc"].map((asked) => answers.kept(asked, state.now, asked)),
      [undefined, "x", "x"]
    )
  })

  it("keeps as much as it may by weight, and nothing that weighs more than half of it", async () => {
    const { run, state } = world()
    const heavy = makeValidatedCache<string>(makeFreshness(Effect.runFork), 10, (text) => text.length)
    const get = (owner: string, name: string, value: string) => run(heavy.get(name, Effect.succeed(value), owner))
    const kept = (owner: string, name: string) => heavy.kept(name, state.now, owner)
    await get("one", "a", "aaaa")
    await get("two", "b", "bbbb")
    await get("two", "too much", "bbbbbb")
    assert.deepEqual([kept("one", "a"), kept("two", "b"), kept("two", "too much")], ["aaaa", "bbbb", undefined])
    heavy.forget("a", "one")
    await get("two", "c", "ccc")
    assert.deepEqual([kept("two", "b"), kept("two", "c")], ["bbbb", "ccc"])
    await get("three", "d", "dd")
    assert.deepEqual([kept("two", "b"), kept("three", "d")], ["bbbb", "dd"])
    await get("three", "e", "eeee")
    assert.deepEqual([kept("two", "b"), kept("two", "c")], [undefined, "ccc"])
    assert.deepEqual([kept("three", "d"), kept("three", "e")], ["dd", "eeee"])
    heavy.forgetOwner("three")
    heavy.forgetOwner("two")
    await get("four", "f", "fffff")
    await get("four", "g", "ggggg")
    assert.deepEqual([kept("four", "f"), kept("four", "g")], ["fffff", "ggggg"])
  })

  it("reads on for the others when the request that began it is broken off, and waits for a read no longer than a second", async () => {
    const { state, held, get, run, cache, lookUp } = world()
    const mayEnd = (held[0] = Deferred.makeUnsafe<void>())
    const others = await run(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(cache.get("a", lookUp), { startImmediately: true })
        const second = yield* Effect.forkChild(cache.get("b", lookUp), { startImmediately: true })
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(mayEnd, undefined)
        return yield* Fiber.join(second)
      })
    )
    assert.strictEqual(others, 1)
    assert.strictEqual(state.reads, 1)
    held[0] = Deferred.makeUnsafe<void>()
    state.now += 1_000
    assert.strictEqual(await get("b"), 2)
    assert.isUndefined(cache.kept("b", state.now))
  })
})
