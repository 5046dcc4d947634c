import type { ComponentProps } from 'react'
import { request } from './api.ts'
import { Button } from './elements.tsx'
import { attempt } from './notice.tsx'

export function RetryAll({
  refresh,
  ...props
}: ComponentProps<'button'> & { refresh: () => Promise<void> }) {
  const retry = () =>
    attempt(
      request<{ retried: number }>('POST', '/api/retry', { needsData: true }),
      ({ retried }) =>
        retried === 0
          ? 'There’s nothing to resend.'
          : `Resending ${retried} ${retried === 1 ? 'message' : 'messages'} now.`,
    ).then(refresh)
  return <Button onClick={retry} {...props} />
}
