import { fetchDoor, httpSuite, stores } from "@gatewarden/conformance"

httpSuite("fetch handler on PostgreSQL", () => ({ store: stores.PostgreSQL, door: fetchDoor }))
