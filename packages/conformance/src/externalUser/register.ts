import type { Answer, World } from "../World.ts"

export const register = (world: World, user: string): Promise<Answer> =>
  world.call("createExternalUser", { body: { user } })
