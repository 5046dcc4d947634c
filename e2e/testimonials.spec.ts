import { arrangeReviews } from '#site/sections/testimonials.tsx'
import { company, testimonials } from './content.ts'
import { expect, phone, test } from './test.ts'

const rows = '[data-testimonials] .row'
const reviews = arrangeReviews(testimonials.reviews, {})

test.beforeEach(async ({ page }) => {
  await page.goto('/')
  // Wait until all sections are laid out, because later ones would push the rows out of view again.
  await expect(page.locator('.deferred')).toHaveCount(0)
  await page.getByRole('heading', { name: testimonials.heading }).scrollIntoViewIfNeeded()
  await page.mouse.move(0, 0)
})

test('shows each testimonial in its row, with an avatar, stars, and text', async ({ page }) => {
  await expect(page.locator('#five-stars path')).toHaveAttribute('d', /^(m[^m]+z){5}$/i)
  const shown = await page.locator(rows).evaluateAll((rows) =>
    rows.map((row) =>
      [...row.querySelectorAll('li:not([inert] li)')].map((card) => ({
        name: card.querySelector('.customer-name')?.textContent,
        text: card.querySelector('blockquote')?.innerText,
        isRated: card.textContent?.includes('Rated 5 out of 5'),
        hasStars: (card.querySelector('svg')?.getBoundingClientRect().width ?? 0) > 0,
      })),
    ),
  )
  const marks = { isRated: true, hasStars: true }
  const expected = reviews.map((row) =>
    row.map(({ name, text }) => ({ name, text: expect.stringContaining(text), ...marks })),
  )
  expect(shown).toEqual(expected)
  if ('sample' in company) expect(shown.map(({ length }) => length)).toEqual([7, 7, 6])
  for (const image of await page.locator(`${rows} li:not([inert] li) img`).all())
    await image.evaluate((image: HTMLImageElement) => {
      image.loading = 'eager'
      return image.decode()
    })
})

// Shorter rows stay still if all cards fit. dev.spec.ts tests these rows.
test.describe('rows of five or more testimonials', () => {
  const isLong = reviews.length > 0 && reviews.every((row) => row.length >= 5)
  test.skip(!isLong && !('sample' in company), 'The site has fewer reviews.')

  test('move in alternating directions without a jump', async ({ page }) => {
    await expect(page.locator(`${rows}[data-drifting]`)).toHaveCount(reviews.length)
    // The copies that close the loop are hidden from screen readers.
    const section = page.getByRole('region', { name: testimonials.heading })
    await expect(section.locator('[inert][aria-hidden="true"]').first()).toBeAttached()
    const tree = await section.ariaSnapshot()
    for (const words of reviews.flat().flatMap(({ name, text }) => [name, text]))
      expect(tree.split(words), words).toHaveLength(2)
    const drifts = await page.locator(rows).evaluateAll((rows) =>
      rows.map((row) => {
        const track = row.firstElementChild as HTMLElement
        const [animation] = track.getAnimations()
        if (!animation) throw new Error('The row does not move.')
        const { playState } = animation
        const duration = Number(animation.effect?.getComputedTiming().duration)
        animation.pause()
        const xOf = (ms: number, child: number) => {
          animation.currentTime = ms
          return track.children[child]?.getBoundingClientRect().x ?? Number.NaN
        }
        const pxPerSecond = xOf(1000, 0) - xOf(0, 0)
        // At the end, the copy is exactly where the original started.
        const [first, last] = pxPerSecond < 0 ? [0, duration - 0.001] : [duration - 0.001, 0]
        const jump = Math.abs(xOf(first, 0) - xOf(last, 1))
        xOf(last, 0)
        const covers = track.getBoundingClientRect().right >= innerWidth
        return { playState, pxPerSecond, jump, covers }
      }),
    )
    for (const [index, { playState, pxPerSecond, jump, covers }] of drifts.entries()) {
      expect(playState).toBe('running')
      expect(Math.sign(pxPerSecond)).toBe(index % 2 === 0 ? -1 : 1)
      // To cross the screen, a card moves by the screen's width plus its own width.
      expect((phone.width + 288) / Math.abs(pxPerSecond)).toBeGreaterThan(30)
      expect(jump).toBeLessThan(0.1)
      expect(covers).toBe(true)
    }
  })

  test('pause on hover and focus, stop with the button, and do not move with reduced motion', async ({
    page,
  }) => {
    const row = page.locator(rows).first()
    const tracks = page.locator(`${rows} .row-track`)
    const readStates = () =>
      tracks.evaluateAll((tracks) => tracks.map((track) => track.getAnimations()[0]?.playState))
    const expectFirst = (state: string) =>
      expect.poll(async () => (await readStates())[0]).toBe(state)
    await expectFirst('running')
    for (const [pause, resume] of [
      [() => row.hover(), () => page.mouse.move(0, 0)],
      [() => row.focus(), () => row.blur()],
    ] as const) {
      await pause()
      await expectFirst('paused')
      await resume()
      await expectFirst('running')
    }

    // After the motion stops, the rows keep their position and can be scrolled from there.
    const card = row.locator('li').first()
    const findOffset = () => card.evaluate((card) => card.getBoundingClientRect().x)
    await tracks.evaluateAll((tracks) => {
      for (const animation of tracks.flatMap((track) => track.getAnimations())) {
        animation.pause()
        animation.currentTime = 5000
      }
    })
    const before = await findOffset()
    await page.getByRole('button', { name: testimonials.pauseLabel }).click()
    const play = page.getByRole('button', { name: testimonials.playLabel })
    await expect(play).toBeVisible()
    expect(await readStates()).toEqual(reviews.map(() => undefined))
    const after = await findOffset()
    // Scroll offsets are rounded to whole pixels.
    expect(Math.abs(after - before)).toBeLessThanOrEqual(1)
    await row.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(findOffset).toBeLessThan(after)
    await play.click()
    await expect(row).toHaveAttribute('data-drifting')

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.reload()
    await expect(page.locator('.deferred')).toHaveCount(0)
    await row.scrollIntoViewIfNeeded()
    const button = page.locator('[data-drift-button]')
    await expect(button).toHaveAttribute('data-state', 'paused')
    await expect(button).toBeHidden()
    await expect(page.locator('[data-drifting]')).toHaveCount(0)
    // The first card lines up with the heading and is not faded.
    await expect(row).toHaveCSS('mask-image', 'none')
    const heading = page.getByRole('heading', { name: testimonials.heading })
    expect((await card.boundingBox())?.x).toBe((await heading.boundingBox())?.x)
    for (const row of await page.locator(rows).all()) {
      await row.evaluate((row) => row.scrollTo({ left: row.scrollWidth, behavior: 'instant' }))
      await row.scrollIntoViewIfNeeded()
      await expect(row.locator('li').last()).toBeInViewport({ ratio: 0.9 })
    }
  })
})
