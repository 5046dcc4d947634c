import { Resolver } from 'node:dns/promises'
import { findErrorCode } from './database.ts'

export type ResolveTxt = (name: string) => Promise<string[][]>

const resolver = new Resolver({ timeout: 2_000, tries: 2 })
export const resolveTxt: ResolveTxt = (name) => resolver.resolveTxt(name)

type Provider = {
  name: string
  /** Undefined if SPF needs no record at the sender's domain, because bounces go to another domain. */
  include?: string
  /** The names of the DKIM records, if they are the same for all customers. */
  selectors: readonly string[]
}

const google = { name: 'Google Workspace', include: '_spf.google.com', selectors: ['google'] }

const providers: Record<string, Provider> = {
  'smtp.gmail.com': google,
  'smtp-relay.gmail.com': google,
  'smtp.office365.com': {
    name: 'Microsoft 365',
    include: 'spf.protection.outlook.com',
    selectors: ['selector1', 'selector2'],
  },
  'smtp.fastmail.com': {
    name: 'Fastmail',
    include: 'spf.messagingengine.com',
    selectors: ['fm1', 'fm2', 'fm3'],
  },
  'smtp.sendgrid.net': { name: 'SendGrid', selectors: ['s1', 's2', 'm1'] },
  'smtp.resend.com': { name: 'Resend', selectors: ['resend'] },
  'smtp.postmarkapp.com': { name: 'Postmark', selectors: [] },
}

// The owner of such an address cannot change its domain's records.
const sharedDomain = /^(gmail|googlemail|outlook|hotmail|live|yahoo|aol|icloud|me|fastmail)\./

type Finding = { id: string; state: 'ok' | 'to do' | 'check'; text: string; next?: string }

/** Checks whether the DNS records of the sender's domain allow the mail server to send its emails. */
export async function checkMailDns(
  mail: { smtpUrl: string; from: string } | undefined,
  resolve: ResolveTxt,
): Promise<Finding[]> {
  const domain = mail?.from.match(/@([a-z\d-]+(\.[a-z\d-]+)+)/i)?.[1]?.toLowerCase()
  if (!mail || !domain || sharedDomain.test(domain)) return []
  const provider = providers[new URL(mail.smtpUrl).hostname]
  const keys = provider?.selectors.map((selector) => `${selector}._domainkey.${domain}`) ?? []
  // A subdomain without a DMARC record uses its parent's.
  const parents = domain.split('.').map((_, at, labels) => labels.slice(at).join('.'))
  try {
    const [spf, dkim, dmarc] = await Promise.all([
      read([domain], /^v=spf1(\s|$)/i),
      read(keys, /(^|;)\s*p=[^\s;]/),
      read(
        parents.slice(0, -1).map((name) => `_dmarc.${name}`),
        /^v=DMARC1\b/i,
      ),
    ])
    const problems = judge(domain, provider, { spf, dkim, dmarc })
    if (problems.length > 0) return problems
    const kinds = keys.length > 0 ? 'SPF, DKIM, and DMARC' : 'SPF and DMARC'
    const unknown = keys.length > 0 ? '' : ' Doctor cannot check DKIM for this mail server.'
    const text = `The ${kinds} records of ${domain} need no change.${unknown}`
    return [{ id: 'mail-dns', state: 'ok', text }]
  } catch (error) {
    const text = `Doctor did not check SPF, DKIM, and DMARC for ${domain}, because DNS lookups fail here (${findErrorCode(error)}).`
    return [{ id: 'mail-dns', state: 'check', text, next: 'Run doctor on a machine with DNS' }]
  }

  async function read(names: readonly string[], pattern: RegExp): Promise<string[]> {
    const found = await Promise.all(
      names.map((name) =>
        resolve(name).catch((error) => {
          if (['ENODATA', 'ENOTFOUND'].includes(findErrorCode(error))) return []
          throw error
        }),
      ),
    )
    return found
      .flatMap((records) => records.map((parts) => parts.join('')))
      .filter((text) => pattern.test(text))
  }
}

function judge(
  domain: string,
  provider: Provider | undefined,
  { spf, dkim, dmarc }: Record<'spf' | 'dkim' | 'dmarc', readonly string[]>,
): Finding[] {
  const needsSpf = !provider || provider.include !== undefined
  const include = `include:${provider?.include ?? '(see your mail provider’s guide)'}`
  const found: (Finding | false | undefined)[] = [
    spf.length > 1 && {
      id: 'mail-spf',
      state: 'to do',
      text: `${domain} has ${spf.length} SPF records, which is an error, so mail servers ignore them.`,
      next: 'Merge them into one TXT record that starts with v=spf1',
    },
    spf.length === 0 &&
      needsSpf && {
        id: 'mail-spf',
        state: 'to do',
        text: `${domain} has no SPF record, so many emails end up in spam.`,
        next: `Add this TXT record to ${domain}: v=spf1 ${include} ~all`,
      },
    spf.length === 1 &&
      provider?.include !== undefined &&
      !spf[0]?.includes(include) && {
        id: 'mail-spf',
        state: 'check',
        text: `The SPF record of ${domain} does not name ${provider.name}: ${spf[0]}`,
        next: `Unless another part of it includes ${provider.name}, add ${include} before its last part`,
      },
    provider &&
      provider.selectors.length > 0 &&
      dkim.length === 0 && {
        id: 'mail-dkim',
        state: 'check',
        text: `${domain} has no DKIM record named ${provider.selectors.join(' or ')}, which ${provider.name} uses. Without DKIM, more emails end up in spam.`,
        next: `Turn on DKIM for ${domain} in ${provider.name}, and add the records that it shows you`,
      },
    dmarc.length === 0 && {
      id: 'mail-dmarc',
      state: 'check',
      text: `${domain} has no DMARC record. Large mail services expect one.`,
      next: `Add this TXT record to _dmarc.${domain}: v=DMARC1; p=none`,
    },
  ]
  return found.filter((one) => typeof one === 'object')
}
