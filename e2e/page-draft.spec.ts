import { hero } from '#site/content.ts'
import { checkAxe, enterDesk, test } from './desk.ts'
import { headline, isSaved, openSection } from './page-editor.ts'
import { expect } from './test.ts'

test('typing survives a lost connection, a full disk, a reload, and the end of the session', async ({
  signIn,
  site,
}) => {
  const sam = await signIn('Sam')
  await sam.route('**/api/page', (route) => route.abort())
  await sam.getByRole('link', { name: 'Page', exact: true }).click()
  await expect(sam.getByText('No connection.')).toBeVisible()
  await checkAxe(sam, 'page without a connection')
  await sam.unroute('**/api/page')
  await openSection(sam, 'Top of the page')
  await expect(headline(sam)).toHaveValue(hero.headline)
  await sam.context().setOffline(true)
  await headline(sam).fill('Typed offline.')
  await expect(sam.getByText('Not saved yet. No connection.')).toBeVisible()
  await sam.context().setOffline(false)
  await isSaved(sam)

  site.runSql(`create trigger no_space before insert on page_draft
    begin select raise(abort, 'database or disk is full'); end`)
  await headline(sam).fill('Typed on a full disk.')
  const notSaved = sam.getByText('Not saved yet. The server can’t store anything')
  await expect(notSaved).toBeVisible()
  await sam.getByRole('button', { name: 'Publish…' }).click()
  await expect(sam.getByRole('dialog', { name: 'Not published' }).getByRole('alert')).toContainText(
    'The server can’t store anything',
  )
  await sam.reload()
  await expect(headline(sam)).toHaveValue('Typed on a full disk.')
  await expect(notSaved).toBeVisible()
  await sam.getByRole('link', { name: 'People' }).click()
  await sam.getByRole('button', { name: 'Sign out everyone' }).click()
  await sam.getByRole('dialog').getByRole('button', { name: 'Sign out everyone' }).click()
  await expect(sam.getByLabel('Your email address')).toBeVisible()
  site.runSql('drop trigger no_space')
  await enterDesk(sam, await site.makeLink(), 'Sam')
  await openSection(sam, 'Top of the page')
  await expect(headline(sam)).toHaveValue('Typed on a full disk.')
  await isSaved(sam)
})

test('after a change on another device, the owner chooses which draft stays', async ({
  signIn,
  site,
}) => {
  const page = await signIn('Sam')
  const saveElsewhere = async (text: string) => {
    const { number: base } = await (await page.request.get(`${site.deskUrl}/api/page`)).json()
    const sent = {
      headers: { origin: site.deskUrl },
      data: { base, draft: { hero: { headline: text } } },
    }
    expect((await page.request.put(`${site.deskUrl}/api/page/draft`, sent)).status()).toBe(200)
  }
  await openSection(page, 'Top of the page')
  await expect(headline(page)).toHaveValue(hero.headline)
  await saveElsewhere('The other headline')
  await headline(page).fill('My headline')
  const conflict = page.getByRole('alert').filter({ hasText: 'You changed the page in another' })
  await expect(conflict).toBeVisible()
  await checkAxe(page, 'conflict')
  await page.reload()
  await expect(headline(page)).toHaveValue('My headline')
  await conflict.getByRole('button', { name: 'Keep mine' }).click()
  await isSaved(page)
  await expect(headline(page)).toHaveValue('My headline')

  await saveElsewhere('The newer headline')
  await headline(page).fill('My second headline')
  await conflict.getByRole('button', { name: 'Load the newer version' }).click()
  await expect(headline(page)).toHaveValue('The newer headline')
})
