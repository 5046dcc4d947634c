import { useEffect, useState } from 'react'
import { readDraft } from './drafts.ts'

/**
 * On a wide screen, the first lead of Today is open beside the list. Another one replaces it, but not while someone
 * works in that pane or has written a note there.
 */
export function useFirstLead(firstId: string | undefined): string | undefined {
  const [openId, setOpenId] = useState<string>()
  // Runs after every poll.
  useEffect(() => {
    const isBusy = openId && (readDraft(openId) || document.activeElement?.closest('.lead-pane'))
    if (!isBusy) setOpenId(matchMedia('(min-width: 64rem)').matches ? firstId : undefined)
  })
  return openId
}
