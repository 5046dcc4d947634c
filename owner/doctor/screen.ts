import { styleText } from 'node:util'
import { makeSafe } from '#leads/safe-text.ts'
import { measureText } from '../terminal.ts'
import type { Check } from './check.ts'

type Group = { title: string; checks: Check[] }

const colors = { ok: 'green', 'to do': 'red', 'cannot tell': 'yellow' } as const
const screenWidth = 80
const stateWidth = 'cannot tell'.length

export function formatScreen(groups: readonly Group[], { color }: { color: boolean }): string {
  const indent = ' '.repeat(2 + stateWidth + 2)
  const width = screenWidth - indent.length
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text
  const formatCheck = ({ state, says, next = '' }: Check): string => {
    const word = paint(colors[state], state) + ' '.repeat(stateWidth - state.length)
    const steps = next ? wrap(makeSafe(next), width - 2) : []
    return [
      `  ${word}  ${wrap(makeSafe(says), width).join(`\n${indent}`)}`,
      ...steps.map((line, at) => indent + paint('bold', `${at === 0 ? '→' : ' '} ${line}`)),
    ].join('\n')
  }
  const sections = groups.map(({ title, checks }, at) =>
    [paint('bold', `${at + 1} ${title}`), ...checks.map(formatCheck)].join('\n'),
  )
  return `${sections.join('\n\n')}\n\n${summarize(groups)}\n`
}

function summarize(groups: readonly Group[]): string {
  const states = groups.flatMap(({ checks }) => checks.map(({ state }) => state))
  const toDo = states.filter((state) => state === 'to do').length
  const unknown = states.filter((state) => state === 'cannot tell').length
  const rest = unknown === 0 ? '' : `, ${unknown} that doctor cannot tell`
  return toDo === 0 ? `Nothing stands in the way${rest}.` : `${toDo} to do${rest}.`
}

function wrap(text: string, width: number): string[] {
  const [first = '', ...words] = text.split(/ (?! )/)
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (measureText(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
