import type { Content } from '../schema/content-schema.ts'

/** Code that a page contains, or, in development, the URL of its source. */
export type Code = { code: string } | { url: string }

/** The results of a build that the pages need, stored as JSON beside the bundled renderer. */
export type Build = {
  /** URLs by path in site/, such as pictures/hero-1024.avif. */
  files: Readonly<Record<string, string>>
  /** The inline script imports this file at the visitor's first interaction. */
  formCode: string
  /** The inline script imports this file when the reviews are about to become visible. */
  reviewMotion: string
  /** The inline script. */
  script: Code
  styles: { landing: Code; belowFold: Code; notFound: Code }
  /** The script of the 404 page. */
  missingPage: Code
  publicUrl?: string | undefined
  /** The backend's URL, if it is not the site's own. */
  supabaseUrl?: string | undefined
  withMaps: boolean
}

/** The content without common placeholders. */
export type PageProps = { content: Content; build: Build }

/** Returns the URL of a file that every build has. */
export function findFile({ files }: Pick<Build, 'files'>, path: string): string {
  const url = files[path]
  if (!url) throw new Error(`The build has no ${path}`)
  return url
}

/** The wording of a company that is not always open changes with the hours. */
export const isLimited = ({ hours }: Pick<Content, 'hours'>): boolean => hours.open !== 'always'
