import { expect, it } from 'vitest'
import { readTown } from './town.ts'

it.each([
  ['1 Main St, Springfield, IL 62701, USA', 'Springfield'],
  ['1 Main St, Springfield', 'Springfield'],
  ['1 Main St, Springfield, il', 'Springfield'],
  ['1 Main St, Springfield, IL, 62701-1234', 'Springfield'],
  ['Two Harbors, Minnesota 55616', 'Two Harbors'],
  ['Two Harbors, MN 55616', 'Two Harbors'],
  ['1 Main St, Fargo, north dakota 58102, United States', 'Fargo'],
  ['1 Main St, Charleston, West Virginia', 'Charleston'],
  ['1 K St, Washington, District of Columbia 20001', 'Washington'],
  ['1 Elm St, New York, New York 10001', 'New York'],
  ['1 Elm St, Apt 4, New York, 10001', 'New York'],
  ['1 Main St, 29 Palms, CA 92277', '29 Palms'],
  ['Springfield, Kansas City', 'Kansas City'],
  ['1 Main St, IL 62701', 'IL 62701'],
  ['1 Main St', '1 Main St'],
  ['62701', '62701'],
  [' , ', ''],
])('finds the town of %j', (address, town) => {
  expect(readTown(address)).toBe(town)
})
