import type { Content } from '../schema/content-schema.ts'

/** Code that a page contains, or the URL of code that it loads. */
export type Code = { code: string } | { url: string }

/** The results of a build that the pages need. Stored as JSON next to the bundled renderer. */
export type Build = {
  /** URLs by path in site/, such as pictures/hero-1024.avif. */
  files: Readonly<Record<string, string>>
  /** The URL of the form's code, which the inline script imports at the visitor's first interaction. */
  formCode: string
  /** The URL of the code that the inline script imports when the reviews are about to become visible. */
  reviewMotion: string
  /** The inline script. */
  script: Code
  styles: { landing: Code; belowFold: Code; notFound: Code }
  /** The script of the 404 page. */
  missingPage: Code
  publicUrl?: string | undefined
  /** The URL of the Supabase project, if it is the backend. */
  supabaseUrl?: string | undefined
  withMaps: boolean
}

/** The content has its common placeholders filled in. */
export type PageProps = { content: Content; build: Build }

/** Returns the URL of a file that every build has. */
export function findFile({ files }: Pick<Build, 'files'>, path: string): string {
  const url = files[path]
  if (!url) throw new Error(`The build has no ${path}`)
  return url
}

/** True if the wording changes with the hours, because the company is not always open. */
export const isLimited = ({ hours }: Pick<Content, 'hours'>): boolean => hours.open !== 'always'
