import type { Receiver } from '../delivery/receivers.ts'

const channelNames: Record<Receiver['kind'] | 'airtable' | 'push', string> = {
  airtable: 'Airtable',
  email: 'E-mail',
  sms: 'Text',
  push: 'Ring',
  webhook: 'Webhook',
  'escalation-email': 'E-mail, reminders',
  'escalation-sms': 'Text, reminders',
}

export const nameChannel = (kind: string): string =>
  (channelNames as Record<string, string>)[kind] ?? kind

export const formatShare = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`

export function formatTook(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (ms < 60_000) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}
