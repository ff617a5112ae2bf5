/** The preset that is made, and how it is made and read. */
import type { Answer, Call, World } from "../../World.ts"
import { messages } from "../presetBodies.ts"

export const slug = "support"

export const post = (world: World, fields: object = {}, call: Call = {}): Promise<Answer> =>
  world.call("createPreset", { params: { slug }, body: { messages, ...fields }, ...call })

export const read = (world: World, call: Call = {}): Promise<Answer> =>
  world.call("getPreset", { params: { slug }, ...call })

export const short = (value: unknown): string => {
  const shown = JSON.stringify(value)
  return shown.length > 60 ? `${shown.slice(0, 60)}… (${shown.length})` : shown
}
