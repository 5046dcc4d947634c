import { use, useState } from 'react'
import { isDueAgain } from '#leads/deadline.ts'
import { nameButton, nameUndone } from '#leads/describe-event.ts'
import { type EventKind, maxNoteLength } from '#leads/history.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { chooseWords, count } from '#leads/words.ts'
import { readClock } from './api.ts'
import { type Card, canCall, findOwnCall } from './cards.ts'
import { readDraft, saveDraft, useDraft } from './drafts.ts'
import { Button, Icon, MailLink, NotSent } from './elements.tsx'
import { Me, Sender } from './me.ts'
import { useUnsent } from './outbox.ts'
import { usePress } from './press.ts'
import { useIsLive, useNow } from './use-polling.ts'

/**
 * iPhones expect the text after “&”, and Android phones after “?”. A phone that supports neither still opens the
 * conversation with this phone number.
 */
const makeTextUrl = (callUrl: string, text: string) =>
  `${callUrl.replace('tel:', 'sms:')}?&body=${encodeURIComponent(text)}`

/** True on a phone or a tablet. On a computer, clicking the link may not dial. */
export const dialsHere = () => matchMedia('(pointer: coarse)').matches

/**
 * On a phone, the link dials and records the call. The button only records it, for people who dial on a different
 * phone.
 */
export function CallActions({ card, isNext }: { card: Card; isNext: boolean }) {
  const { lead } = card
  const [isBusy, setBusy] = useState(false)
  const isLive = useIsLive()
  const press = usePress()
  const canClaim = canCall(card, readClock())
  const claim = async () => {
    setBusy(true)
    await press(card, { kind: 'called' })
    setBusy(false)
  }
  const { phone, email } = lead
  // After an unanswered call, suggest a text until it is time to call again.
  const isTextNext = useNow(
    (now) => isNext && lead.status === 'call-again' && !isDueAgain(lead, now),
  )
  const greeting = ['Hi', lead.firstName].filter(Boolean).join(' ')
  const sentence = `${greeting}, this is ${use(Sender)} about your roof estimate.`
  const text = phone && !lead.isSuspect && (
    <a
      className="button"
      data-quiet={!isTextNext || undefined}
      href={makeTextUrl(phone.callUrl, sentence)}
      // Record the tap, because the desk can't know whether the text was sent.
      onClick={() => void press({ lead }, { kind: 'texted' })}
      aria-label={`Text ${phone.shown}`}
    >
      <Icon name="text" />
      {isTextNext && 'Text'}
    </a>
  )
  return (
    <>
      {isTextNext && text}
      <div className="actions">
        {phone && (
          <a
            className="button"
            // Use the brand's color only for the next call.
            data-quiet={!canClaim || !isNext || isTextNext || undefined}
            href={phone.callUrl}
            onClick={() => {
              if (canClaim && dialsHere()) void press(card, { kind: 'called' })
            }}
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
          <Button className="button claim" disabled={isBusy || !isLive} onClick={claim}>
            {nameButton('called', lead)}
          </Button>
        )}
      </div>
    </>
  )
}

type UndoProps = { lead: LeadCard; last: EventKind; children?: string }

/** Undoes the newest change, even if someone else made it. */
export function UndoButton({ lead, last, children }: UndoProps) {
  const press = usePress()
  const unsent = useUnsent(lead.id)
  return (
    <button
      type="button"
      className="link"
      // Until the server has the latest press, Undo would reverse an earlier change.
      disabled={unsent.length > 0}
      onClick={() => void press({ lead }, { kind: 'undone' }, last)}
    >
      {children ?? `Undo “${nameUndone(last, lead)}”`}
    </button>
  )
}

/** Undoes the tap that recorded your call. */
export function NotCalled({ card }: { card: Card }) {
  const lead = findOwnCall(card, use(Me)) ?? card.lead
  return <UndoButton lead={lead} last="called">{`I didn’t ${chooseWords(lead).call}`}</UndoButton>
}

// The counter appears when this many characters are left.
const fewLeft = 60

export function NoteField({ card: { lead } }: { card: Card }) {
  const isLive = useIsLive()
  const text = useDraft(lead.id)
  const press = usePress()
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
          // React discards text that is typed before the page is hydrated.
          disabled={!isLive}
          value={text}
          onChange={({ target }) => saveDraft(lead.id, target.value)}
        />
      </label>
      {left <= fewLeft && (
        <p className="small" role="status">
          {count(left, 'character')} left
        </p>
      )}
      {text.trim() && <Button type="submit">Add note</Button>}
    </form>
  )
}

export async function sendNote(lead: LeadCard, press: ReturnType<typeof usePress>): Promise<void> {
  const text = readDraft(lead.id)
  if (!text.trim()) return
  saveDraft(lead.id, '')
  const error = await press({ lead }, { kind: 'note', text })
  if (error && !readDraft(lead.id)) saveDraft(lead.id, text)
}

/** Lists the button presses that could not be sent yet. */
export function Unsent({ lead }: { lead: LeadCard }) {
  const unsent = useUnsent(lead.id)
  const names = unsent.map(({ kind, text }) =>
    kind === 'note' && text ? text : nameButton(kind, lead),
  )
  return (
    <NotSent>
      {names.length > 0 &&
        `Not sent yet. Retrying while this page is open: “${names.join('” and “')}”`}
    </NotSent>
  )
}
