/** Entropy that two installations share without talking: equal for equal runs, steps and draws. */
import type { EntropySource } from "@gatewarden/core/internal"

export interface SeededEntropy extends EntropySource {
  /** From now on, draws are those of this step. An execution's number occurs once in the life of a store. */
  readonly begin: (execution: number, step: number) => void
}

/** Splitmix32: small, and its first outputs of neighbouring seeds have nothing in common. */
const splitmix = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
}

const serialLength = 6

export const seededEntropy = (): SeededEntropy => {
  let next = splitmix(0)
  let serial: readonly number[] = []

  const bytes = (size: number): Uint8Array => {
    const drawn = Uint8Array.from({ length: size }, () => next() & 255)
    // The run's number comes last, so that ids of a run sort alike each time the run is repeated while it shrinks. Its
    // digits stay below 61, which survives both the rejection and the remainder by which keys are made of bytes.
    if (size > serialLength) drawn.set(serial, size - serialLength)
    return drawn
  }

  return {
    begin: (execution, step) => {
      next = splitmix(step + 1)
      serial = Array.from({ length: serialLength }, (_, place) => Math.floor(execution / 61 ** place) % 61)
    },
    bytes,
    uuid: () => {
      const drawn = bytes(16)
      const hex = Array.from(drawn, (byte, index) => {
        const marked = index === 6 ? (byte & 15) | 64 : index === 8 ? (byte & 63) | 128 : byte
        return marked.toString(16).padStart(2, "0")
      }).join("")
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
    }
  }
}
