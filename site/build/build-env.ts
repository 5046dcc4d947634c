import { join } from 'node:path'
import { loadEnv } from 'vite'

export const root = join(import.meta.dirname, '../..')

/** Reads the build variables from the environment, .env, and .env.local. */
export function readBuildEnv(mode: string) {
  const names = ['VITE_', 'SUPABASE_ANON_KEY', 'PORT', 'PUBLIC_URL']
  const env = loadEnv(mode, root, names)
  return {
    port: env.PORT || '3000',
    publicUrl: env.PUBLIC_URL?.trim().replace(/\/+$/, '') || undefined,
    supabaseUrl: env.VITE_SUPABASE_URL || undefined,
    // Default to the key that submit-to-airtable accepts.
    publicKey: env.VITE_SUPABASE_ANON_KEY || env.SUPABASE_ANON_KEY || 'public-anon-key',
    withMaps: Boolean(env.VITE_GOOGLE_MAPS_API_KEY),
  }
}
