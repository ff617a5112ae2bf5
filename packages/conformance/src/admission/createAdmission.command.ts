import { admissionFields } from "./admissionFields.ts"
import { command, dataOf } from "../model/Command.ts"

export const createAdmission = command("createAdmission", {
  weight: 10,
  body: admissionFields,
  keeps: { admission: dataOf }
})
