/** OpenAI's embeddings: a vector for each text. */
import { type ChatScript, json } from "./chatUpstream.ts"

export const vector = [0.25, -0.5, 1]

/** As clients ask for it that do not say `float`. */
const base64 = Buffer.from(new Float32Array(vector).buffer).toString("base64")

export const embeds =
  (prompt_tokens?: number): ChatScript =>
  ({ body: { input, encoding_format } }, response) =>
    json(response, 200, {
      object: "list",
      data: [input].flat().map((_, index) => ({
        object: "embedding",
        index,
        embedding: encoding_format === "base64" ? base64 : vector
      })),
      model: "scripted-2026",
      ...(prompt_tokens === undefined ? {} : { usage: { prompt_tokens, total_tokens: prompt_tokens } })
    })
