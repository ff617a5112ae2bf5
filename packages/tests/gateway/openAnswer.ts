/** What the gateway makes of an answer of a provider that arrives in one piece. */
import type { Room } from "../../../examples/gateway/src/AnswerRoom.ts"
import type { Dialect, Fields } from "../../../examples/gateway/src/dialects/Dialect.ts"
import { openUpstream } from "../../../examples/gateway/src/openUpstream.ts"

export const openAnswer = (room: Room, dialect: Dialect, body: Fields, answer: string) =>
  openUpstream(
    { base_url: "https://upstream.example.com/v1" },
    {
      dialect,
      headers: {},
      body,
      signal: new AbortController().signal,
      room,
      mostEvents: 1_000,
      send: async () => ({
        status: 200,
        retry_after: undefined,
        announced: 0,
        pieces: (async function* () {
          yield Buffer.from(answer)
        })(),
        abort: () => {}
      })
    }
  )
