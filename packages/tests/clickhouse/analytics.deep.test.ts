import { analyticsAgreement } from "@gatewarden/conformance/internal/usage/AnalyticsReader.suite"
import { layerTestClickhouse } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { stores } from "@gatewarden/testkit/stores/stores"

analyticsAgreement("memory and ClickHouse", () => layerTestClickhouse(stores.memory), { runs: 200 })

analyticsAgreement(
  "memory and ClickHouse that sums every day",
  () => layerTestClickhouse(stores.memory, { isUseful: () => true }),
  { runs: 60 }
)
