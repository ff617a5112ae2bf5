import { directoryUsersSuite } from "@gatewarden/conformance/internal/directory/DirectoryUsers.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) directoryUsersSuite(kind, () => store)
