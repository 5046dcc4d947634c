import { type ComponentProps, useEffect } from 'react'
import { type LeadField, leadFields, serviceTypes } from '#leads/fields.ts'
import { Button, Choice, Heading, Icon } from '../elements.tsx'
import { changeField, type NewLead, sendNewLead, useNewLead } from '../new-lead.tsx'
import type { Refresh } from '../press.ts'
import { formatRoute } from '../route.ts'
import { useIsLive } from '../use-polling.ts'

const services = [['', 'Not chosen'], ...Object.entries(serviceTypes)] as const

/** For the middle of a phone call: a phone number or an email is enough. */
export function AddLead({ refresh }: { refresh: Refresh }) {
  const lead = useNewLead()
  const isLive = useIsLive()
  const isBusy = lead.isCalled !== undefined
  const { field } = lead.problem ?? {}
  useEffect(() => {
    if (field) document.getElementsByName(field)[0]?.focus()
  }, [field])
  const about = { lead, disabled: isBusy || !isLive }
  return (
    <>
      <a className="back" href={formatRoute({})}>
        <Icon name="back" />
        Today
      </a>
      <Heading>Add a lead</Heading>
      <p className="quiet">
        A phone number or an email address is enough. We won’t email the caller.
      </p>
      <form className="add-lead" noValidate onSubmit={(event) => event.preventDefault()}>
        <Field name="phone" label="Phone" type="tel" {...about} />
        <Field name="name" label="Name" {...about} />
        <Field name="address" label="Address" {...about} />
        <Field name="email" label="Email" type="email" {...about} />
        <Choice
          label="Service"
          choices={services}
          value={lead.fields.serviceType ?? ''}
          disabled={about.disabled}
          onChange={({ target }) => changeField('serviceType', target.value)}
        />
        <p className="problem" role="alert">
          {!field && lead.problem?.message}
        </p>
        <p className="unsent" role="status">
          {lead.isUnsent && (
            <>
              <Icon name="cloud" />
              Not saved yet. Retrying while this page is open.
            </>
          )}
        </p>
        <div className="pair">
          <Button isPrimary disabled={about.disabled} onClick={() => sendNewLead(refresh, true)}>
            I’ve got it
          </Button>
          <Button disabled={about.disabled} onClick={() => sendNewLead(refresh, false)}>
            Somebody should call back
          </Button>
        </div>
        <p className="small quiet">
          “I’ve got it” sends no alerts, because you’re on the phone with the homeowner. “Somebody
          should call back” alerts the crew.
        </p>
      </form>
    </>
  )
}

function Field({
  name,
  label,
  lead: { fields, problem },
  ...input
}: ComponentProps<'input'> & {
  name: Exclude<LeadField, 'serviceType'>
  label: string
  lead: NewLead
}) {
  const isWrong = problem?.field === name
  const problemId = `problem-${name}`
  return (
    <label>
      {label}
      <input
        {...input}
        name={name}
        autoComplete="off"
        dir="auto"
        maxLength={leadFields[name].maxLength}
        value={fields[name] ?? ''}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? problemId : undefined}
        onChange={({ target }) => changeField(name, target.value)}
      />
      {isWrong && (
        <span className="problem" id={problemId} role="alert">
          {problem.message}
        </span>
      )}
    </label>
  )
}
