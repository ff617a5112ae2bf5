import { admissionFields } from "./admissionFields.ts"
import { command, dataOf } from "../modelBased/Command.ts"

export const createAdmission = command("createAdmission", {
  weight: 10,
  body: admissionFields,
  keeps: { admission: dataOf }
})
