/** The ways to reach an app. */
import { Effect } from "effect"
import { HttpEffect } from "effect/http"
import type { OpenDoor } from "./Installation.ts"

/** The fetch handler, in process. */
export const fetchDoor: OpenDoor = (app) =>
  Effect.sync(() => {
    const handler = HttpEffect.toWebHandler(app)
    return { origin: "http://gatewarden.test", fetch: (url, init) => handler(new Request(url, init)) }
  })
