import { Resolver } from 'node:dns/promises'
import type { Finding } from './checks.ts'
import { readErrorCode } from './database.ts'

export type ResolveTxt = (name: string) => Promise<string[][]>

const resolver = new Resolver({ timeout: 2_000, tries: 2 })
export const resolveTxt: ResolveTxt = (name) => resolver.resolveTxt(name)

type Provider = readonly [
  name: string,
  /** Empty if bounces go to another domain, so the sender's domain needs no SPF record. */
  include: string,
  /** The names of the DKIM records, if they are the same for all customers. */
  selectors: readonly string[],
]

const google: Provider = ['Google Workspace', '_spf.google.com', ['google']]

const providers: Record<string, Provider> = {
  'smtp.gmail.com': google,
  'smtp-relay.gmail.com': google,
  'smtp.office365.com': ['Microsoft 365', 'spf.protection.outlook.com', ['selector1', 'selector2']],
  'smtp.fastmail.com': ['Fastmail', 'spf.messagingengine.com', ['fm1', 'fm2', 'fm3']],
  'smtp.sendgrid.net': ['SendGrid', '', ['s1', 's2', 'm1']],
  'smtp.resend.com': ['Resend', '', ['resend']],
  'smtp.postmarkapp.com': ['Postmark', '', []],
}

const unknownProvider: Provider = ['', '(see your mail provider’s guide)', []]

// The owner of such an address cannot change its domain's records.
const sharedDomain = /^(gmail|googlemail|outlook|hotmail|live|yahoo|aol|icloud|me|fastmail)\./

/** Checks whether the DNS records of the sender's domain allow the mail server to send its emails. */
export async function checkMailDns(
  mail: { smtpUrl: string; from: string } | undefined,
  resolve: ResolveTxt,
): Promise<Finding[]> {
  const domain = mail?.from.match(/@([a-z\d-]+(\.[a-z\d-]+)+)/i)?.[1]?.toLowerCase()
  if (!mail || !domain || sharedDomain.test(domain)) return []
  const provider = providers[new URL(mail.smtpUrl).hostname] ?? unknownProvider
  const [, , selectors] = provider
  // A subdomain without a DMARC record uses its parent's.
  const parents = domain.split('.').map((_, at, labels) => labels.slice(at).join('.'))
  const dmarcNames = parents.slice(0, -1).map((name) => `_dmarc.${name}`)
  const keys = selectors.map((selector) => `${selector}._domainkey.${domain}`)
  try {
    const [spf, dkim, dmarc] = await Promise.all([
      read([domain], /^v=spf1(\s|$)/i),
      read(keys, /(^|;)\s*p=[^\s;]/),
      read(dmarcNames, /^v=DMARC1\b/i),
    ])
    const problems = [...judge(domain, provider, { spf, dkim, dmarc })]
    if (problems.length > 0) return problems
    const kinds = keys.length > 0 ? 'SPF, DKIM, and DMARC' : 'SPF and DMARC'
    const unknown = keys.length > 0 ? '' : ' Doctor cannot check DKIM for this mail server.'
    const text = `The ${kinds} records of ${domain} need no change.${unknown}`
    return [{ id: 'mail-dns', state: 'ok', text }]
  } catch (error) {
    const text = `Doctor did not check SPF, DKIM, and DMARC for ${domain}, because DNS lookups fail here (${readErrorCode(error)}).`
    return [
      { id: 'mail-dns', state: 'check', text, next: 'Run doctor on a machine with working DNS' },
    ]
  }

  async function read(names: readonly string[], pattern: RegExp): Promise<string[]> {
    const found = await Promise.all(
      names.map((name) =>
        resolve(name).catch((error) => {
          if (['ENODATA', 'ENOTFOUND'].includes(readErrorCode(error))) return []
          throw error
        }),
      ),
    )
    const texts = found.flat().map((parts) => parts.join(''))
    return texts.filter((text) => pattern.test(text))
  }
}

function* judge(
  domain: string,
  [name, include, selectors]: Provider,
  { spf, dkim, dmarc }: Record<'spf' | 'dkim' | 'dmarc', readonly string[]>,
): Generator<Finding> {
  if (spf.length > 1)
    yield {
      id: 'mail-spf',
      state: 'to do',
      text: `${domain} has ${spf.length} SPF records, which is an error, so mail servers ignore them.`,
      next: 'Merge them into one TXT record that starts with v=spf1',
    }
  else if (include && spf.length === 0)
    yield {
      id: 'mail-spf',
      state: 'to do',
      text: `${domain} has no SPF record, so many emails end up in spam.`,
      next: `Add this TXT record to ${domain}: v=spf1 include:${include} ~all`,
    }
  else if (name && include && !spf[0]?.includes(`include:${include}`))
    yield {
      id: 'mail-spf',
      state: 'check',
      text: `The SPF record of ${domain} does not include ${name}: ${spf[0]}`,
      next: `Unless another part of it includes ${name}, add include:${include} before its last part`,
    }
  if (selectors.length > 0 && dkim.length === 0)
    yield {
      id: 'mail-dkim',
      state: 'check',
      text: `${domain} has no DKIM record named ${selectors.join(' or ')}, which ${name} uses. Without DKIM, more emails end up in spam.`,
      next: `Turn on DKIM for ${domain} in ${name}, and add the records that it shows you`,
    }
  if (dmarc.length === 0)
    yield {
      id: 'mail-dmarc',
      state: 'check',
      text: `${domain} has no DMARC record. Large mail services expect one.`,
      next: `Add this TXT record to _dmarc.${domain}: v=DMARC1; p=none`,
    }
}
