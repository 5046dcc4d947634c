import { useEffect, useRef } from 'react'
import { crewOrder, type FieldOutputs, fieldOutputs } from '#leads/field-outputs.ts'
import { type Field, type Lead, type LeadField, leadFields } from '#leads/fields.ts'
import { Choice } from './elements.tsx'

/** Why the server refused a lead. */
export type InputProblem = { message: string; field: string | undefined }

// Put the phone number first, because some callers give nothing else.
const names = [...new Set<LeadField>(['phone', 'name', 'serviceType', 'email', ...crewOrder])]

/** The inputs for a lead that the crew adds or corrects, with the problem shown below its field. */
export function LeadInputs({
  fields,
  disabled,
  problem,
}: {
  fields: Partial<Lead>
  disabled: boolean
  problem: InputProblem | undefined
}) {
  const inputs = useRef<HTMLDivElement>(null)
  const reason = problem?.message
  const wrong = names.find((name) => name === problem?.field)
  useEffect(() => {
    // The pressed button lost focus when it was disabled, so move the focus to the problem.
    const selector = wrong ? `[name=${wrong}]` : '#lead-problem'
    if (reason) inputs.current?.querySelector<HTMLElement>(selector)?.focus()
  }, [reason, wrong])
  const message = (
    <p className="problem" role="alert" id="lead-problem" tabIndex={-1}>
      {reason}
    </p>
  )
  return (
    <div ref={inputs} className="entries">
      {names.map((name) => (
        <div key={name} className="entry">
          <Input name={name} value={fields[name]} disabled={disabled} isWrong={wrong === name} />
          {wrong === name && message}
        </div>
      ))}
      {!wrong && message}
    </div>
  )
}

const types = { email: 'email', phoneNumber: 'tel' } as const

type InputProps = {
  name: LeadField
  value: string | undefined
  disabled: boolean
  isWrong: boolean
}

function Input({ name, value, disabled, isWrong }: InputProps) {
  const { label, airtableType }: FieldOutputs = fieldOutputs[name]
  const field: Field = leadFields[name]
  const control = {
    id: `lead-${name}`,
    name,
    defaultValue: value,
    disabled,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': isWrong ? 'lead-problem' : undefined,
  }
  if (field.choices) {
    const choices = [['', 'Not chosen'], ...Object.entries(field.choices)] as const
    return <Choice label={label} choices={choices} {...control} />
  }
  const text = { ...control, maxLength: field.maxLength, autoComplete: 'off', dir: 'auto' }
  return (
    <label htmlFor={control.id}>
      {label}
      {field.multiline ? (
        <textarea {...text} />
      ) : (
        <input type={airtableType && types[airtableType]} {...text} />
      )}
    </label>
  )
}
