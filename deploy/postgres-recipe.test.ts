import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findLead, listLeads } from '#leads/store/reading.ts'
import { findPostgres } from '#scripts/tools.mjs'
import { openDatabase } from '#server/database.ts'
import { createDir, createLocation, engines, runSql } from '#testing/database.ts'
import { storeLead } from '#testing/saved-leads.ts'

it.runIf(engines.includes('postgres'))(
  'the guide’s commands dump PostgreSQL while the site runs, and the site opens what they restore',
  async () => {
    const { databaseUrl = '' } = await createLocation('postgres')
    const site = await openDatabase({ databaseUrl, dataDir: '' })
    onTestFinished(() => site.close())
    const old = await storeLead(site, { at: Date.now() - 2 * 3_600_000 })
    const channels = ['airtable', 'email', 'push-0a1b2c3d']
    const young = await storeLead(site, { at: Date.now(), channels })
    await runSql(
      databaseUrl,
      `insert into desk_links values ('x', '', '', 1, 0);
      insert into desk_sessions values ('x', 'x', '', '', '', 0, 0);
      insert into push_devices values ('0a1b2c3d', 'x', 'x', '', '', '', '', 0, 0, 0, 0)`,
    )

    const url = new URL(databaseUrl)
    const name = url.pathname.slice(1)
    const restored = new URL(`/${name}_restored`, url)
    onTestFinished(async () => {
      await runSql(databaseUrl, `drop database ${name}_restored with (force)`)
    })
    const [, recipe = ''] = readFileSync('docs/backup.md', 'utf8').split('## PostgreSQL')
    const commands = [...recipe.matchAll(/```\n(.*?)```/gs)]
      .map(([, text]) => text)
      .join('')
      .replaceAll('postgres://roofing@127.0.0.1:5432/roofing', databaseUrl)
      .replaceAll('=roofing ', `=${url.username} `)
      .replaceAll('roofing_restored', `${name}_restored`)
      .replace('--host=127.0.0.1', `--host=${url.hostname}`)
      .replace('--port=5432', `--port=${url.port || 5432}`)
    expect(commands).not.toContain('roofing')
    const PATH = `${findPostgres()}${delimiter}${process.env.PATH}`
    execFileSync('sh', ['-ec', commands], {
      cwd: createDir(),
      env: { PATH, PGPASSWORD: url.password },
      stdio: 'pipe',
    })

    const db = await openDatabase({ databaseUrl: restored.href, dataDir: '' })
    onTestFinished(() => db.close())
    expect((await listLeads(db, { limit: 5 })).map(({ id }) => id)).toEqual([young, old])
    const states = async (id: string) =>
      (await findLead(db, id))?.deliveries.map(({ channel, state }) => `${channel} ${state}`)
    expect(await states(old)).toEqual(['airtable waiting', 'email cancelled'])
    expect(await states(young)).toEqual([
      'airtable waiting',
      'email waiting',
      'push-0a1b2c3d cancelled',
    ])
    // Who was signed out since must not be back, and must not be rung.
    for (const table of ['desk_links', 'desk_sessions', 'push_devices'] as const)
      expect(await db.kysely.selectFrom(table).selectAll().execute()).toEqual([])
  },
)
