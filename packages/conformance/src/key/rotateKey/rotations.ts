/** Rotations of a world's API key, and what its secrets open. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../../World.ts"

export const rotate = (world: World, body: unknown = {}, hash = world.normalKeyHash): Promise<Answer> =>
  world.call("rotateKey", { params: { hash }, body })

/** The secret that a rotation makes. */
export const newSecret = async (world: World, overlap_seconds: number, hash = world.normalKeyHash): Promise<string> => {
  const answer = await rotate(world, { overlap_seconds }, hash)
  assert.strictEqual(answer.status, 200)
  return answer.json.key
}

/** Whether each of the secrets opens a key. */
export const opened = async (world: World, ...secrets: readonly string[]): Promise<readonly boolean[]> => {
  const open: boolean[] = []
  for (const key of secrets) {
    const { status } = await world.call("getCurrentKey", { key })
    assert.include([200, 401], status)
    open.push(status === 200)
  }
  return open
}
