import { sealedSecretsSuite } from "@gatewarden/conformance/internal/vault/SealedSecrets.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) sealedSecretsSuite(kind, () => store)
