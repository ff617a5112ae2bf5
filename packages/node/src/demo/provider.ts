/** The provider of models: it writes what it is told to, in pieces, and remembers what it saw. Stands where an upstream would. */
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises"
import { bodyOf, type Listening, listenAt } from "./localServers.ts"

export interface ProviderCall {
  readonly messages: readonly { readonly content: string }[]
  readonly max_completion_tokens: number | null
  /** What a real one would think for. */
  readonly millis?: number
}

export interface Provider extends Listening {
  readonly seen: () => readonly string[]
}

/** Cut on purpose where it hurts. */
const pieceLength = 5

/** Repeats what it was sent, and says in `x-tokens` what it counted: its answer takes 40 to 100 tokens of what it may use. */
export const startProvider = async (): Promise<Provider> => {
  const seen: string[] = []
  let calls = 0
  const server = await listenAt(async (request, response) => {
    const { messages, millis = 0, max_completion_tokens } = JSON.parse(await bodyOf(request)) as ProviderCall
    const prompt = messages.map(({ content }) => content).join("\n")
    seen.push(prompt)
    const completion = Math.min(40 + ((calls++ * 37) % 61), max_completion_tokens ?? 100)
    await pause(millis, undefined, { ref: false })
    if (response.destroyed) return
    response.writeHead(200, {
      "content-type": "text/plain; charset=utf-8",
      "x-tokens": `${prompt.length} ${completion}`
    })
    const answer = `You wrote: ${prompt}`
    for (let at = 0; at < answer.length; at += pieceLength) {
      response.write(answer.slice(at, at + pieceLength))
      // Each a packet of its own.
      await turn()
    }
    response.end()
  })
  return { ...server, seen: () => seen }
}
