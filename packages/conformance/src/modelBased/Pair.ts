/** Two installations that live the same life: the in-memory store, which is the reference, and the store under test. */
import { Entropy, type StorePorts, layerMemory } from "@gatewarden/core/internal"
import { Effect, type Layer } from "effect"
import { fetchDoor } from "../doors.ts"
import { beginning } from "../beginning.ts"
import { eraseAll } from "../erasure/erasing.ts"
import { Installation } from "../Installation.ts"
import type { World } from "../World.ts"
import { wrapPorts } from "../wrapPorts.ts"
import { type SeededEntropy, seededEntropy } from "./seededEntropy.ts"

interface Side {
  readonly installation: Installation
  readonly entropy: SeededEntropy
}

/** One account as both installations know it. */
export interface Twins {
  readonly reference: World
  readonly subject: World
}

const start = async (store: Layer.Layer<StorePorts, unknown>): Promise<Side> => {
  const entropy = seededEntropy()
  // What a store draws for itself, perhaps behind a request's back, must not shift what the request draws. The port in
  // whose transaction the request's own work is done draws nothing.
  const independent = wrapPorts(store, (port, effect) =>
    port === "IdempotencyRecords" ? effect : Effect.provideService(effect, Entropy, Entropy.defaultValue())
  )
  return { entropy, installation: await Installation.start({ store: independent, door: fetchDoor, entropy }) }
}

export class Pair {
  readonly #sides: readonly [Side, Side]
  #execution = 0

  private constructor(sides: readonly [Side, Side]) {
    this.#sides = sides
  }

  static async open(store: Layer.Layer<StorePorts, unknown>): Promise<Pair> {
    return new Pair([await start(layerMemory), await start(store)])
  }

  get now(): number {
    return this.#sides[0].installation.clock.now
  }

  turnClock(millis: number): void {
    for (const { installation } of this.#sides) installation.clock.now += millis
  }

  async erase(): Promise<void> {
    for (const { installation } of this.#sides) await installation.run(eraseAll)
  }

  /** How many runs this pair has lived through. */
  get executions(): number {
    return this.#execution
  }

  /** Begins a run: the clock at the beginning, two new accounts, and new keys of the operator. */
  async newRun(): Promise<readonly [Twins, Twins]> {
    this.#execution++
    for (const { installation } of this.#sides) {
      installation.clock.now = beginning
      // What is kept by key must not be met again by a run for which the clock went back: the stores need not agree on that.
      installation.newOperatorKeys()
    }
    return [await this.#newTwins(-1), await this.#newTwins(-2)]
  }

  /** Begins a step: both draw from the same entropy. */
  beginStep(step: number): void {
    for (const { entropy } of this.#sides) entropy.begin(this.#execution, step)
  }

  async #newTwins(step: number): Promise<Twins> {
    this.beginStep(step)
    const [left, right] = this.#sides
    return { reference: await left.installation.newWorld(), subject: await right.installation.newWorld() }
  }

  async close(): Promise<void> {
    for (const { installation } of this.#sides) await installation.stop()
  }
}
