import { fetchDoor, httpSuite } from "@gatewarden/conformance"
import { stores } from "../src/stores/stores.ts"

httpSuite("fetch handler on PostgreSQL", () => ({ store: stores.PostgreSQL, door: fetchDoor }))
