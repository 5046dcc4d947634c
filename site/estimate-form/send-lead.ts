import { createClient } from '@supabase/supabase-js'
import type { Lead } from '../../supabase/functions/submit-to-airtable/lead.ts'

const url = import.meta.env.VITE_SUPABASE_URL || location.origin
const publicKey = import.meta.env.VITE_SUPABASE_ANON_KEY || 'public-anon-key'

const supabase = createClient(url, publicKey, {
  auth: { ...localStorageIfAllowed(), persistSession: true, autoRefreshToken: true },
})

/** Hands the lead to the function. Throws unless the function took it. */
export async function sendLead(lead: Lead) {
  const { error } = await supabase.functions.invoke('submit-to-airtable', { body: lead })
  if (error) throw error
}

// Browsers that block storage throw at the mere mention of it. That must not cost the lead.
function localStorageIfAllowed() {
  try {
    return { storage: localStorage }
  } catch {
    return {}
  }
}
