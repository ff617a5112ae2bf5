import type { PrivateProviderDataPolicy } from "@gatewarden/contract"
import { Effect } from "effect"
import { invalid } from "../value/failure.ts"

/** Fails with 400 where a provider that retains nothing names for how long. */
export const requireDataPolicy = ({ retains_prompts, prompt_retention_days }: PrivateProviderDataPolicy) =>
  Effect.suspend(() =>
    !retains_prompts && prompt_retention_days !== null
      ? invalid(
          "invalid_request",
          "data_policy.prompt_retention_days",
          "Expected null, because retains_prompts is false"
        )
      : Effect.void
  )
