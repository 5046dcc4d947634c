import { useEffect, useState } from 'react'
import { readDraft } from './drafts.ts'

/**
 * On a wide screen, opens the first lead of Today beside the list. Doesn't replace it while someone works in the
 * pane or has an unsent note.
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
