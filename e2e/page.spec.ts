import { about, company, emergency, services, testimonials } from '../site/content.ts'
import { desktop, expect, phone, scrollPage, test } from './test.ts'

test.describe('the landing page', () => {
  test('shows its parts in the order of the specification', async ({ page }) => {
    await page.goto('/')
    // What is not laid out yet has no innerText.
    await expect(page.locator('.later')).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    const landmarks = await page.locator('body > header, main > section, body > footer').all()
    const texts = await Promise.all(landmarks.map((landmark) => landmark.innerText()))
    const parts = [
      ['24/7'],
      ['Request Free Estimate →'],
      about.points.map(({ title }) => title),
      [emergency.claim],
      [services.heading, ...services.cards.map(({ title }) => title)],
      ...(testimonials.rows.flat().length > 0 ? [[testimonials.heading]] : []),
      ['Quick Links', 'Get Free Estimate', '©'],
    ]
    expect(texts).toHaveLength(parts.length)
    for (const [index, words] of parts.entries()) {
      const places = words.map((word) => texts[index]?.indexOf(word) ?? -1)
      expect(places, words.join()).not.toContain(-1)
      expect(places, words.join()).toEqual(places.toSorted((a, b) => a - b))
    }
  })

  test('makes the claims of the specification', async ({ page }) => {
    test.skip(!('sample' in company), 'an owner’s claims are their own')
    await page.goto('/')
    await expect(page.getByRole('main')).toContainText(
      /trusted since 1998.*licensed and insured.*quality guarantee/is,
    )
    await expect(page.getByRole('main')).toContainText(
      /Our Services.*Residential Roofing.*Roof Repairs.*Roof Inspections.*What Our Customers Say/s,
    )
    const statistics = page.locator('.hero dl > div')
    await expect(statistics).toHaveText([/5,200\+/, /4,800\+/, /25\+/])
    await expect(statistics).toHaveText([
      /roofs completed/i,
      /happy customers/i,
      /years experience/i,
    ])
    await expect(page.getByText('Average response time: 1 minute')).toBeVisible()
    await expect(page.getByText('Trade Award')).toBeVisible()
  })

  test('offers the number to tap in header, band and footer', async ({ page }) => {
    await page.goto('/')
    const dialled = `tel:+1${company.phone.replace(/\D/g, '')}`
    for (const part of ['header', 'main', 'footer']) {
      const link = page.locator(part).getByRole('link', { name: company.phone })
      await expect(link).toHaveAttribute('href', dialled)
    }
  })

  for (const width of [320, 360, 768, 1280]) {
    test(`keeps number and button within the header at ${width} px, nothing overflows`, async ({
      page,
    }) => {
      await page.setViewportSize({ width, height: 740 })
      await page.goto('/')
      const call = await page
        .locator('header')
        .getByRole('link', { name: company.phone })
        .boundingBox()
      const button = await page.locator('header').getByRole('button').boundingBox()
      expect(call?.height).toBeGreaterThanOrEqual(44)
      expect((call?.x ?? 0) + (call?.width ?? width)).toBeLessThanOrEqual(button?.x ?? 0)
      expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual(width)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    })
  }

  test('shortens the button on small screens', async ({ page }) => {
    await page.setViewportSize(phone)
    await page.goto('/')
    const button = page.locator('header').getByRole('button')
    await expect(button).toHaveAccessibleName('Estimate')
    await page.setViewportSize(desktop)
    await expect(button).toHaveAccessibleName('Free Estimate')
  })

  test('shows the first field on a 360 × 740 phone without scrolling', async ({ page }) => {
    await page.setViewportSize(phone)
    await page.goto('/')
    await expect(page.getByLabel('Full name')).toBeInViewport({ ratio: 1 })
  })

  test('has three service cards with icon, title and description', async ({ page }) => {
    await page.goto('/')
    const cards = page.getByRole('region', { name: 'Our Services' }).getByRole('listitem')
    await expect(cards).toHaveCount(3)
    for (const [index, { title, text }] of services.cards.entries()) {
      const card = cards.nth(index)
      await expect(card.locator('svg')).toBeVisible()
      await expect(card.getByRole('heading', { name: title })).toBeVisible()
      await expect(card.getByText(text)).toBeVisible()
    }
  })

  test('answers any query and hash with the page', async ({ page }) => {
    for (const url of ['/?utm_source=x&y=%E0%A4%A', '/#nowhere', '/?#%', '/#"><script>']) {
      const response = await page.goto(url)
      expect(response?.status()).toBe(200)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    }
  })

  test('carries the year of today, not of the build', async ({ page }) => {
    await page.clock.setFixedTime('2031-01-01T12:00:00')
    await page.goto('/')
    await expect(page.getByText(/^© 2031/)).toBeVisible()
  })
})

test.describe('the header', () => {
  const look = () => {
    const header = document.querySelector('header') as HTMLElement
    const style = getComputedStyle(header)
    const shown = [...header.querySelectorAll<HTMLElement>('[data-logo]')]
      .filter((logo) => getComputedStyle(logo).visibility === 'visible')
      .map((logo) => logo.dataset.logo)
    const alpha = Number(style.backgroundColor.match(/[\d.]+(?=\)$)/)?.[0])
    return { alpha, blur: style.backdropFilter, border: style.borderBottomColor, shown, y: scrollY }
  }

  test('is transparent with the light logo up to and including 50 px', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto('/')
    for (const top of [0, 50]) {
      await scrollPage(page, top)
      await expect
        .poll(() => page.evaluate(look))
        .toEqual({
          alpha: 0,
          blur: 'none',
          border: 'rgba(0, 0, 0, 0)',
          shown: ['light'],
          y: top,
        })
    }
  })

  test('is solid, blurred and bordered with the dark logo from 51 px', async ({ page }) => {
    await page.goto('/')
    await scrollPage(page, 51)
    await expect.poll(async () => (await page.evaluate(look)).shown).toEqual(['dark'])
    await expect.poll(async () => (await page.evaluate(look)).alpha).toBeGreaterThan(0.85)
    const { blur, border } = await page.evaluate(look)
    expect(blur).toContain('blur')
    expect(border).not.toBe('rgba(0, 0, 0, 0)')
    await scrollPage(page, 50)
    await expect.poll(async () => (await page.evaluate(look)).shown).toEqual(['light'])
  })

  test('knows its state when the page opens scrolled', async ({ page }) => {
    await page.goto('/#testimonials')
    await expect.poll(async () => (await page.evaluate(look)).shown).toEqual(['dark'])
  })
})

test.describe('the estimate buttons', () => {
  for (const [part, name] of [
    ['header', 'Free Estimate'],
    ['footer', 'Get Free Estimate'],
  ] as const) {
    const recordScroll = async (page: import('@playwright/test').Page) => {
      await scrollPage(page, 100_000)
      const from = await page.evaluate(() => scrollY)
      await page.evaluate(() => {
        Object.assign(window, { seen: [] as number[] })
        const record = () => {
          ;(window as unknown as { seen: number[] }).seen.push(Math.round(scrollY))
          if (scrollY > 0) requestAnimationFrame(record)
        }
        document.addEventListener('click', () => requestAnimationFrame(record), { once: true })
      })
      await page.locator(part).getByRole('button', { name }).click()
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
      const seen = await page.evaluate(() => (window as unknown as { seen: number[] }).seen)
      return seen.filter((y) => y > 0 && y < from)
    }

    test(`'${name}' scrolls smoothly to the top`, async ({ page }) => {
      await page.setViewportSize(desktop)
      await page.goto('/')
      expect((await recordScroll(page)).length).toBeGreaterThan(1)
    })

    test(`'${name}' jumps to the top where motion is unwelcome`, async ({ page }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.setViewportSize(desktop)
      await page.goto('/')
      expect(await recordScroll(page)).toEqual([])
    })
  }
})

test.describe('the testimonials', () => {
  const rows = '[data-testimonials] .row'
  const offsets = (page: import('@playwright/test').Page) =>
    page
      .locator(`${rows} li:first-child`)
      .evaluateAll((cards) =>
        cards
          .filter((card) => !card.closest('[inert]'))
          .map((card) => card.getBoundingClientRect().x),
      )

  test.beforeEach(async ({ page }) => {
    await page.setViewportSize(desktop)
    await page.goto('/')
    await page.getByRole('heading', { name: testimonials.heading }).scrollIntoViewIfNeeded()
    await page.mouse.move(0, 0)
  })

  // In the template, three rows of 7, 7 and 6: see doctor/words.test.ts.
  test('stand in their rows and in their order', async ({ page }) => {
    const names = await page
      .locator(rows)
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll('li:not([inert] li) .font-bold')].map(
            (name) => name.textContent,
          ),
        ),
      )
    expect(names).toEqual(testimonials.rows.map((row) => row.map(({ name }) => name)))
  })

  test('show avatar, name, five stars and words on every card', async ({ page }) => {
    await expect(page.locator('#five-stars > svg')).toHaveCount(5)
    for (const card of await page.locator(`${rows} li:not([inert] li)`).all()) {
      await expect(card.getByRole('paragraph').first()).not.toBeEmpty()
      await expect(card.locator('svg')).toBeVisible()
      await expect(card.getByText('Rated 5 out of 5')).toBeAttached()
      expect(await card.getByRole('blockquote').innerText()).toMatch(/\w{3}/)
    }
    const broken = await page.locator(`${rows} img`).evaluateAll(async (images) => {
      const loads = images.map((image) => {
        ;(image as HTMLImageElement).loading = 'eager'
        return (image as HTMLImageElement).decode().then(
          () => '',
          () => (image as HTMLImageElement).src,
        )
      })
      return (await Promise.all(loads)).filter(Boolean)
    })
    expect(broken).toEqual([])
  })

  // An owner's few may stand still: see dev.spec.ts.
  test.describe('in rows of six and more', () => {
    const isLong = testimonials.rows.length > 0 && testimonials.rows.every((row) => row.length >= 6)
    test.skip(!isLong && !('sample' in company), 'an owner has fewer reviews')

    test('drift in alternating directions, slowly', async ({ page }) => {
      const before = await offsets(page)
      await expect
        .poll(async () => Math.abs(((await offsets(page))[0] ?? 0) - (before[0] ?? 0)))
        .toBeGreaterThan(10)
      const after = await offsets(page)
      const moved = after.map((x, index) => Math.sign(x - (before[index] ?? 0)))
      expect(moved).toEqual(testimonials.rows.map((_, index) => (index % 2 === 0 ? -1 : 1)))
      // A card crosses the screen when it has moved by the screen's width and its own.
      const pxPerSecond = await page.locator(`${rows} .row-track`).evaluateAll((tracks) =>
        tracks.map((track) => {
          const duration = Number(track.getAnimations()[0]?.effect?.getComputedTiming().duration)
          return (track.firstElementChild as HTMLElement).offsetWidth / (duration / 1000)
        }),
      )
      for (const speed of pxPerSecond) expect((desktop.width + 352) / speed).toBeGreaterThan(30)
    })

    test('close their loop without a jump, and never show its end', async ({ page }) => {
      const seams = await page.locator(rows).evaluateAll((rows) =>
        rows.map((row) => {
          const track = row.firstElementChild as HTMLElement
          const animation = track.getAnimations()[0]
          const duration = Number(animation?.effect?.getComputedTiming().duration)
          const xOf = (ms: number, child: number) => {
            if (!animation) throw new Error('the row does not move')
            animation.pause()
            animation.currentTime = ms
            return track.children[child]?.getBoundingClientRect().x ?? Number.NaN
          }
          const left = (row as HTMLElement).dataset.direction === 'left'
          const [first, last] = left ? [0, duration - 0.001] : [duration - 0.001, 0]
          // The copy arrives exactly where the original started.
          const jump = Math.abs(xOf(first, 0) - xOf(last, 1))
          xOf(last, 0)
          const end = track.getBoundingClientRect().right
          return { jump, covers: end >= innerWidth }
        }),
      )
      for (const { jump, covers } of seams) {
        expect(jump).toBeLessThan(0.1)
        expect(covers).toBe(true)
      }
    })

    test('pause while hovered, and while focused', async ({ page }) => {
      const row = page.locator(rows).first()
      const state = () =>
        row.locator('.row-track').evaluate((track) => track.getAnimations()[0]?.playState)
      await expect.poll(state).toBe('running')
      await row.hover()
      await expect.poll(state).toBe('paused')
      await page.mouse.move(0, 0)
      await expect.poll(state).toBe('running')
      await row.focus()
      await expect.poll(state).toBe('paused')
    })

    test('stop for good with the button, stay where they are, and can then be scrolled', async ({
      page,
    }) => {
      const button = page.getByRole('button', { name: testimonials.pauseLabel })
      await expect(button).toBeVisible()
      await page.waitForFunction(() => {
        const track = document.querySelector('.row-track')
        return track && new DOMMatrix(getComputedStyle(track).transform).m41 < -5
      })
      const before = await offsets(page)
      await button.click()
      const after = await offsets(page)
      for (const [index, x] of after.entries())
        expect(Math.abs(x - (before[index] ?? 0))).toBeLessThan(15)
      await expect(page.getByRole('button', { name: testimonials.playLabel })).toBeVisible()
      await page.mouse.move(0, 0)
      await page.waitForTimeout(300)
      expect(await offsets(page)).toEqual(after)
      const row = page.locator(rows).first()
      await row.focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(async () => (await offsets(page))[0]).toBeLessThan(after[0] ?? 0)
      await page.getByRole('button', { name: testimonials.playLabel }).click()
      await expect(page.locator(rows).first()).toHaveAttribute('data-drifting')
    })

    test('meet a screen reader once each', async ({ page }) => {
      const section = page.getByRole('region', { name: testimonials.heading })
      await expect(section.locator('[inert][aria-hidden="true"]').first()).toBeAttached()
      const tree = await section.ariaSnapshot()
      for (const { name, text } of testimonials.rows.flat()) {
        expect(tree.split(name).length - 1, name).toBe(1)
        expect(tree.split(text).length - 1, text).toBe(1)
      }
    })
  })
})

test.describe('the testimonials under reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('stand still, need no pause button, and can be scrolled to the last card', async ({
    page,
  }) => {
    await page.setViewportSize(phone)
    await page.goto('/')
    await page.getByRole('heading', { name: testimonials.heading }).scrollIntoViewIfNeeded()
    await expect(page.locator('[data-drift-button]')).toBeHidden()
    for (const row of await page.locator('[data-testimonials] .row').all()) {
      await expect(row).not.toHaveAttribute('data-drifting')
      const last = row.locator('li').last()
      await row.scrollIntoViewIfNeeded()
      await row.evaluate((row) => row.scrollTo({ left: row.scrollWidth, behavior: 'instant' }))
      await expect(last).toBeInViewport({ ratio: 0.9 })
    }
  })
})
