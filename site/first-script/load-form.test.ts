import { describe, expect, test } from 'vitest'
import { type Event, findNextState, type State, steps } from './load-form.ts'

const states = Object.keys(steps) as State[]
const events = [...new Set(Object.values(steps).flatMap(Object.keys))] as Event[]

const walk = (happened: Event[]) => happened.reduce<State>(findNextState, 'idle')

test.each<[string, Event[], State]>([
  ['the code comes before a press', ['contact', 'code', 'ready'], 'live'],
  ['a press waits for the code', ['press', 'code', 'ready'], 'live'],
  ['a press while React starts', ['contact', 'code', 'press', 'ready'], 'live'],
  ['no code for a press', ['contact', 'press', 'missing'], 'posting'],
  ['no code in time', ['press', 'waited'], 'posting'],
  ['the code comes after that', ['press', 'waited', 'code', 'ready', 'press'], 'posting'],
  ['time is up while React starts', ['press', 'code', 'waited'], 'replaying'],
  ['React does not start', ['press', 'code', 'missing'], 'posting'],
  ['offline, nothing ends the wait', ['pressOffline', 'missing', 'waited'], 'stranded'],
  ['back online, time runs', ['pressOffline', 'online', 'waited'], 'posting'],
  ['the line is lost while waiting', ['press', 'offline', 'waited', 'online'], 'held'],
  ['the code is there before the line', ['pressOffline', 'code'], 'replaying'],
  ['no code: a touch asks no more', ['contact', 'missing', 'contact', 'contact'], 'resting'],
  ['no code: later it does', ['contact', 'missing', 'rested', 'contact'], 'loading'],
  ['no code: a press asks at once', ['contact', 'missing', 'press'], 'held'],
  ['no file to send with', ['contact', 'code', 'ready', 'unsendable'], 'posting'],
  ['a field is empty', ['press', 'missing', 'incomplete', 'press'], 'held'],
])('%s', (_, happened, state) => {
  expect(walk(happened)).toBe(state)
})

describe('whatever happens', () => {
  const pressed: State[] = ['held', 'stranded', 'replaying', 'posting']

  test.each(states)('%s never forgets a press, and acts on it once', (state) => {
    for (const event of events) {
      const next = findNextState(state, event)
      // React has it, the browser has it, or the visitor was told what is missing.
      const isSettled = next === 'live' || event === 'incomplete'
      if (pressed.includes(state) && !isSettled) expect(pressed, event).toContain(next)
      if (state === 'posting' && event !== 'incomplete') expect(next, event).toBe('posting')
      if (state === 'replaying') expect(['replaying', 'live', 'posting'], event).toContain(next)
      if (next === 'posting' && state !== 'posting')
        expect(['missing', 'waited', 'unsendable']).toContain(event)
    }
  })

  test.each(states)('%s leads on to a press that counts', (start) => {
    const seen = new Set<State>([start])
    for (const state of seen) for (const event of events) seen.add(findNextState(state, event))
    expect([...seen]).toContain('posting')
  })
})
