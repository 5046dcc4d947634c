import { expect, test } from 'vitest'
import { checkMailDns } from './mail-dns.ts'

const google = 'smtps://user:secret@smtp.gmail.com:465'
const own = 'smtp://mail.roofing.test'
const key = 'v=DKIM1; k=rsa; p=MIIB'

/** Looks up the records by name, and fails like Node's resolver for names without records. */
async function check(
  records: Record<string, string[]>,
  { smtpUrl = google, from = 'Site <site@roofing.test>', code = 'ENODATA' } = {},
) {
  const resolve = async (name: string) => {
    const found = records[name]
    if (!found) throw Object.assign(new Error(`queryTxt ${code} ${name}`), { code })
    // DNS splits texts of more than 255 bytes.
    return found.map((text) => [text.slice(0, 10), text.slice(10)])
  }
  const findings = await checkMailDns({ smtpUrl, from }, resolve)
  expect(JSON.stringify(findings)).not.toContain('secret')
  return findings.map(({ state, text, next }) => [state, text, next].join(' | '))
}

const spf = { 'roofing.test': ['another record', 'v=spf1 include:_spf.google.com ~all'] }
const dkim = { 'google._domainkey.roofing.test': [key] }
const dmarc = { '_dmarc.roofing.test': ['v=DMARC1; p=none'] }

test('accepts a complete setup, and a DMARC record of the parent domain', async () => {
  const ok = ['ok | The SPF, DKIM, and DMARC records of roofing.test need no change. | ']
  expect(await check({ ...spf, ...dkim, ...dmarc })).toEqual(ok)
  const sub = { 'mail.roofing.test': spf['roofing.test'], ...dmarc }
  const subKey = { 'google._domainkey.mail.roofing.test': [key] }
  const [text] = await check({ ...sub, ...subKey }, { from: 'site@mail.roofing.test' })
  expect(text).toMatch(/^ok/)
})

test.each(['ENODATA', 'ENOTFOUND'])('lists the records to add after %s', async (code) => {
  expect(await check({}, { code })).toEqual([
    expect.stringMatching(/^to do .* no SPF .* roofing.test: v=spf1 include:_spf.google.com ~all$/),
    expect.stringMatching(/^check .* no DKIM record named google, which Google Workspace uses/),
    expect.stringMatching(/^check .* no DMARC .* _dmarc.roofing.test: v=DMARC1; p=none$/),
  ])
})

test('reports two SPF records, one without the provider, and a revoked key', async () => {
  const two = { 'roofing.test': ['v=spf1 a ~all', 'v=spf1 include:_spf.google.com ~all'] }
  expect(await check({ ...two, ...dkim, ...dmarc })).toEqual([
    expect.stringMatching(/^to do .* has 2 SPF records/),
  ])
  const other = { 'roofing.test': ['v=spf1 include:mail.test -all'] }
  const revoked = { 'google._domainkey.roofing.test': ['v=DKIM1; p='] }
  expect(await check({ ...other, ...revoked, ...dmarc })).toEqual([
    expect.stringMatching(/^check .*mail.test -all .* add include:_spf.google.com before/),
    expect.stringMatching(/^check .* no DKIM/),
  ])
})

test('does not ask for records that are not needed or not known', async () => {
  const resend = { 'resend._domainkey.roofing.test': ['p=MIIB'] }
  expect(await check({ ...resend, ...dmarc }, { smtpUrl: 'smtps://smtp.resend.com' })).toEqual([
    expect.stringMatching(/^ok/),
  ])
  const spfOfOwn = { 'roofing.test': ['v=spf1 mx -all'] }
  expect(await check({ ...spfOfOwn, ...dmarc }, { smtpUrl: own })).toEqual([
    expect.stringMatching(/^ok .* SPF and DMARC .* cannot check DKIM/),
  ])
  expect(await check({ ...dmarc }, { smtpUrl: own })).toEqual([
    expect.stringMatching(/^to do .*see your mail provider’s guide/),
  ])
  expect(await check({}, { from: 'jane@gmail.com' })).toEqual([])
})

test.each(['ECONNREFUSED', 'ETIMEOUT', 'ESERVFAIL', 'EREFUSED'])(
  'skips the check where DNS does not work: %s',
  async (code) => {
    expect(await check(spf, { code })).toEqual([
      expect.stringMatching(new RegExp(`^check .* did not check SPF.* \\(${code}\\)`)),
    ])
  },
)
