/**
 * The names that the conventions give to well-known providers, by the provider's name as it is recorded, without case and punctuation.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/ (`gen_ai.provider.name`)
 */
const wellKnown: ReadonlyMap<string, string> = new Map([
  ["amazonbedrock", "aws.bedrock"],
  ["anthropic", "anthropic"],
  ["awsbedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["azureopenai", "azure.ai.openai"],
  ["azureaiinference", "azure.ai.inference"],
  ["cohere", "cohere"],
  ["deepseek", "deepseek"],
  ["google", "gcp.vertex_ai"],
  ["googleaistudio", "gcp.gemini"],
  ["googlevertex", "gcp.vertex_ai"],
  ["groq", "groq"],
  ["ibmwatsonx", "ibm.watsonx.ai"],
  ["mistral", "mistral_ai"],
  ["mistralai", "mistral_ai"],
  ["openai", "openai"],
  ["perplexity", "perplexity"],
  ["xai", "x_ai"]
])

/** Any other provider keeps its recorded name. */
export const providerName = (provider: string): string =>
  wellKnown.get(provider.toLowerCase().replace(/[^a-z0-9]/g, "")) ?? provider
