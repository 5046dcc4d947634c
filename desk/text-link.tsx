import { type ComponentProps, use } from 'react'
import type { LeadCard } from '#leads/reports/describe.ts'
import { readFirstName } from '#leads/words.ts'
import { Icon } from './elements.tsx'
import { Company, Me, readPerson } from './me.ts'
import { type Refresh, usePress } from './press.ts'

type Phone = NonNullable<LeadCard['phone']>

/**
 * iPhones read the text after &, Android phones after ?. A phone that supports neither still opens the
 * conversation with this number.
 */
const makeTextUrl = ({ callUrl }: Phone, text: string) =>
  `${callUrl.replace('tel:', 'sms:')}?&body=${encodeURIComponent(text)}`

export const makeMailUrl = (email: string) =>
  `mailto:${encodeURIComponent(email).replace('%40', '@')}`

/** Opens a text message with a first sentence filled in. The history records only the tap. */
export function TextLink({
  lead,
  phone,
  refresh,
  children,
  ...link
}: ComponentProps<'a'> & { lead: LeadCard; phone: Phone; refresh: Refresh }) {
  const press = usePress(refresh)
  const person = readFirstName(readPerson(use(Me)))
  const greeting = ['Hi', lead.firstName].filter(Boolean).join(' ')
  const text = `${greeting}, this is ${person} from ${use(Company)} about your roof estimate.`
  return (
    <a
      {...link}
      className="button text-link"
      href={makeTextUrl(phone, text)}
      onClick={() => void press(lead, { kind: 'texted' })}
      aria-label={`Text ${phone.shown}`}
    >
      <Icon name="text" />
      {children}
    </a>
  )
}
