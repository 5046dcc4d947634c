import type { ComponentProps } from 'react'
import { request } from './api.ts'
import { Button } from './elements.tsx'
import { attempt } from './notice.tsx'

const paths = { 'retry-all': '/api/retry', 'resume-webhook': '/api/webhook/resume' }

/** A button that retries all pending deliveries, or resumes a stopped webhook. */
export function DeliveryAction({
  kind,
  refresh,
  ...props
}: ComponentProps<'button'> & { kind: keyof typeof paths; refresh: () => Promise<void> }) {
  const retry = () =>
    attempt(
      request<{ retried: number }>('POST', paths[kind], { needsData: true }),
      ({ retried }) =>
        retried === 0
          ? 'Nothing is pending.'
          : `Retrying ${retried} ${retried === 1 ? 'delivery' : 'deliveries'} now.`,
    ).then(refresh)
  return <Button onClick={retry} {...props} />
}
