import { use, useState } from 'react'
import { isDueAgain } from '#leads/deadline.ts'
import { type EventKind, isValid, maxNoteLength } from '#leads/history.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { nameButton } from '#leads/reports/describe-event.ts'
import { listCallTimes, readBusinessHours } from './call-times.ts'
import { canCall } from './countdown.ts'
import { readDraft, saveDraft, useDraft } from './drafts.ts'
import { Button, Icon, MailLink, NotSent } from './elements.tsx'
import { Sender } from './me.ts'
import { useUnsent } from './outbox.ts'
import { type Refresh, usePress } from './press.ts'
import { useIsLive, useNow } from './use-polling.ts'

type Actions = { lead: LeadCard; refresh: Refresh }

/**
 * iPhones read the text after &, Android phones after ?. A phone that supports neither still opens the
 * conversation with this number.
 */
const makeTextUrl = (callUrl: string, text: string) =>
  `${callUrl.replace('tel:', 'sms:')}?&body=${encodeURIComponent(text)}`

/** The link dials. The button then claims the lead, so that no one else calls. */
export function CallActions({ lead, refresh, isNext }: Actions & { isNext: boolean }) {
  const [hasDialed, setDialed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const isLive = useIsLive()
  const press = usePress(refresh)
  const canClaim = canCall(lead)
  const isOffered = hasDialed && canClaim
  const claim = async () => {
    setBusy(true)
    await press(lead, { kind: 'called' })
    setBusy(false)
  }
  const { phone, email } = lead
  // After a call without an answer, suggest a text until it is time to call again.
  const now = useNow(60_000)
  const isTextNext = lead.status === 'call-again' && !isDueAgain(lead, now)
  const greeting = ['Hi', lead.firstName].filter(Boolean).join(' ')
  const sentence = `${greeting}, this is ${use(Sender)} about your roof estimate.`
  const text = phone && !lead.isSuspect && (
    <a
      className="button"
      data-quiet={!(isNext && isTextNext) || isOffered || undefined}
      href={makeTextUrl(phone.callUrl, sentence)}
      // The history records only the tap.
      onClick={() => void press(lead, { kind: 'texted' })}
      aria-label={`Text ${phone.shown}`}
    >
      <Icon name="text" />
      {(isTextNext || isOffered) && 'Text'}
    </a>
  )
  return (
    <>
      {isTextNext && text}
      <div className="actions">
        {isOffered && <p>Are you calling? Let the crew know.</p>}
        {phone && (
          <a
            className="button"
            // Only the next call has the brand's color.
            data-quiet={isOffered || !canClaim || !isNext || isTextNext || undefined}
            href={phone.callUrl}
            onClick={() => setDialed(true)}
            aria-label={`Call ${phone.shown}`}
          >
            <Icon name="call" />
            {phone.shown}
          </a>
        )}
        {!phone && email && (
          <MailLink
            email={email}
            className="button"
            data-quiet={!isNext || undefined}
            aria-label={`Email ${email}`}
          >
            Email
          </MailLink>
        )}
        {!isTextNext && text}
        {canClaim && (
          <Button isPrimary={isOffered} disabled={isBusy || !isLive} onClick={claim}>
            {nameButton('called', lead)}
          </Button>
        )}
      </div>
    </>
  )
}

const outcomes = ['no-answer', 'done', 'not-a-lead'] as const

export function Outcomes({ lead, refresh }: Actions) {
  const isLive = useIsLive()
  const press = usePress(refresh)
  const record = (kind: EventKind) => {
    // The note belongs to this call.
    void sendNote(lead, press)
    void press(lead, { kind })
  }
  return (
    <div className="outcomes">
      {outcomes
        .filter((kind) => isValid(kind, lead, lead.version))
        .map((kind) => (
          <Button key={kind} disabled={!isLive} onClick={() => record(kind)}>
            {nameButton(kind, lead)}
          </Button>
        ))}
    </div>
  )
}

// A shorter note has no counter.
const fewLeft = 60

export function NoteField({ lead, refresh }: Actions) {
  const isLive = useIsLive()
  const text = useDraft(lead.id)
  const press = usePress(refresh)
  const left = maxNoteLength - text.length
  return (
    <form
      className="note-field"
      onSubmit={(event) => {
        event.preventDefault()
        void sendNote(lead, press)
      }}
    >
      <label>
        Note
        <textarea
          rows={1}
          maxLength={maxNoteLength}
          placeholder="Leave a note for the crew"
          dir="auto"
          // React would discard text that was typed before it hydrated the page.
          disabled={!isLive}
          value={text}
          onChange={({ target }) => saveDraft(lead.id, target.value)}
        />
      </label>
      {left <= fewLeft && (
        <p className="small" role="status">
          {left === 1 ? '1 character left' : `${left} characters left`}
        </p>
      )}
      {text.trim() && <Button type="submit">Add note</Button>}
    </form>
  )
}

async function sendNote(lead: LeadCard, press: ReturnType<typeof usePress>): Promise<void> {
  const text = readDraft(lead.id)
  if (!text.trim()) return
  saveDraft(lead.id, '')
  const isSent = await press(lead, { kind: 'note', text })
  if (!isSent && !readDraft(lead.id)) saveDraft(lead.id, text)
}

/** Changes when to call again. */
export function ChangeTime({ lead, refresh }: Actions) {
  const [isShown, setShown] = useState(false)
  return (
    <details className="change-time" onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{nameButton('call-again', lead)}</summary>
      {/* The first time zone conversion is slow on a phone. */}
      {isShown && <CallTimes lead={lead} refresh={refresh} />}
    </details>
  )
}

function CallTimes({ lead, refresh }: Actions) {
  const now = useNow(60_000)
  const press = usePress(refresh)
  const hours = readBusinessHours()
  const times = hours ? listCallTimes(lead, now, hours) : []
  return (
    <div className="outcomes">
      {times.map(({ label, at }) => (
        <Button
          key={label}
          onClick={({ currentTarget }) => {
            const details = currentTarget.closest('details')
            details?.removeAttribute('open')
            details?.querySelector('summary')?.focus()
            void press(lead, { kind: 'call-again', at })
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

/** Lists the presses that could not be sent yet. */
export function Unsent({ lead }: { lead: LeadCard }) {
  const unsent = useUnsent(lead.id)
  const names = unsent.map(({ kind, text }) => nameButton(kind, lead) ?? text ?? 'Undo')
  return (
    <NotSent>
      {names.length > 0 &&
        `Not sent yet. Retrying while this page is open: “${names.join('” and “')}”`}
    </NotSent>
  )
}
