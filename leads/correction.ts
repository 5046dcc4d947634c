import { readField } from './field-outputs.ts'
import { fieldNames, type Lead, type LeadField, leadFields } from './fields.ts'

/** An event stores these as JSON: each changed field with its old and new value. */
type Change = [name: LeadField, before: string, after: string]

export type TypedFields = { [Name in LeadField]?: string | undefined }

/** Returns the fields that the person changed on the page, with the values to store. */
export const listChanges = (shown: TypedFields, typed: TypedFields, valid: Lead): Change[] =>
  fieldNames.flatMap((name): Change[] => {
    const { [name]: before } = shown
    const isChanged = typed[name] !== undefined && typed[name] !== before
    // Compare with the old value again: readCaller cleans what was typed, so the result may equal it.
    return isChanged && before !== undefined && valid[name] !== before
      ? [[name, before, valid[name]]]
      : []
  })

/** Returns true if the correction makes the lead an emergency, whose call may be due sooner. */
export const makesUrgent = (changes: readonly Change[]): boolean =>
  changes.some(([name, , after]) => name === 'serviceType' && after === 'emergency')

export const parseChanges = (text: string | null): Change[] => JSON.parse(text ?? '[]')

/** Returns text such as `the phone number from (612) 555-0111 to (612) 555-0112`. */
export const formatChanges = (text: string | null): string =>
  parseChanges(text)
    .map(([name, ...values]) => {
      const [before, after] = values.map(
        (value) => readField({ [name]: value } as Lead, name) || '(blank)',
      )
      return `the ${leadFields[name].noun} from ${before} to ${after}`
    })
    .join(', and ')
