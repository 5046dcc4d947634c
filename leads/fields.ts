/*
 * The fields of the estimate form, in order. The browser downloads this file, so it has only plain data. The fields'
 * labels for visitors are in site/content.ts, and their outputs for the crew are in field-outputs.ts.
 */

/** A multiline field keeps its line breaks. Alerts show them as spaces. */
type TextField = { maxLength: number; multiline?: true; choices?: undefined }
type ChoiceField = { choices: Readonly<Record<string, string>>; multiline?: undefined }
/** `noun` completes messages such as `Please enter your …`. */
export type Field = { noun: string; required: boolean } & (TextField | ChoiceField)

/** The values that the form sends, with the labels that visitors see. */
export const serviceTypes = {
  'new-roof': 'New Roof Installation',
  'roof-repair': 'Roof Repair',
  'roof-replacement': 'Roof Replacement',
  'roof-inspection': 'Roof Inspection',
  emergency: 'Emergency Service',
  other: 'Other',
} as const

export type ServiceType = keyof typeof serviceTypes

export const leadFields = {
  name: { noun: 'name', required: true, maxLength: 100 },
  email: { noun: 'email address', required: true, maxLength: 254 },
  phone: { noun: 'phone number', required: true, maxLength: 40 },
  address: { noun: 'property address', required: true, maxLength: 300 },
  serviceType: { noun: 'service', required: false, choices: serviceTypes },
} as const satisfies Record<string, Field>

export type LeadField = keyof typeof leadFields
export const fieldNames = Object.keys(leadFields) as LeadField[]

/** An omitted optional field is an empty string. */
export type Lead = {
  [Name in LeadField]: (typeof leadFields)[Name] extends { choices: infer Choices }
    ? keyof Choices | ''
    : string
}

export const requiredFields = fieldNames.filter((name) => leadFields[name].required)
