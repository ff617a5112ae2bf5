/** APIs of OpenAI and Anthropic that clients may ask for here, and that are not served. */
const notServed = [
  "/assistants",
  "/audio",
  "/batches",
  "/completions",
  "/containers",
  "/conversations",
  "/evals",
  "/fine_tuning",
  "/images/edits",
  "/images/generations",
  "/images/variations",
  "/messages/batches",
  "/messages/count_tokens",
  "/moderations",
  "/realtime",
  "/rerank",
  "/responses/compact",
  "/threads",
  "/uploads",
  "/vector_stores",
  "/videos"
]

/** `path`: below the base path, and none that is served. */
export const isNotServed = (path: string): boolean =>
  path !== "/videos/models" && notServed.some((each) => path === each || path.startsWith(`${each}/`))
