/** The APIs that the gateway answers. */
import { chat } from "./chat.ts"
import type { Dialect } from "./Dialect.ts"
import { embeddings } from "./embeddings.ts"
import { messages } from "./messages.ts"
import { responses } from "./responses.ts"

export const dialects: readonly Dialect[] = [chat, responses, messages, embeddings]
