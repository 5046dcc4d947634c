import type { ComponentProps } from 'react'
import { request } from './api.ts'
import { Button } from './elements.tsx'
import { attempt } from './notice.tsx'

type Refresh = () => Promise<void>
type Props = ComponentProps<'button'> & { refresh: Refresh }

const post = async (path: string, refresh: Refresh) => {
  await attempt(request<{ retried: number }>('POST', path, { needsData: true }), ({ retried }) =>
    retried === 0
      ? 'Nothing is pending.'
      : `Retrying ${retried} ${retried === 1 ? 'delivery' : 'deliveries'} now.`,
  )
  await refresh()
}

export const RetryAll = ({ refresh, children = 'Retry all leads', ...props }: Props) => (
  <Button onClick={() => post('/api/retry', refresh)} {...props}>
    {children}
  </Button>
)

export const ResumeWebhook = ({ refresh, children = 'Resume webhook', ...props }: Props) => (
  <Button onClick={() => post('/api/webhook/resume', refresh)} {...props}>
    {children}
  </Button>
)
