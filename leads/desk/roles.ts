export type Role = 'owner' | 'crew'

/** Lists who may use each route. Add every new route here: the desk rejects a route that is not listed. */
export const routes = {
  'GET /': 'everyone',
  'POST /api/sign-in': 'everyone',
  'POST /api/link': 'everyone',
  'POST /api/session': 'everyone',
  'POST /api/code': 'everyone',
  'DELETE /api/session': 'crew',

  'GET /api/today': 'crew',
  'POST /api/search': 'crew',
  'GET /api/report': 'crew',
  'POST /api/leads': 'crew',
  'GET /api/leads/:id': 'crew',
  'POST /api/leads/:id/events': 'crew',
  'POST /api/leads/:id/retry': 'crew',
  'POST /api/retry': 'crew',
  'POST /api/spreadsheet': 'owner',
  'DELETE /api/leads/:id': 'owner',

  'GET /api/page': 'owner',
  'PUT /api/page/draft': 'owner',
  'GET /api/page/preview': 'owner',
  'POST /api/page/publish': 'owner',
  'GET /api/page/versions': 'owner',
  'POST /api/page/undo': 'owner',

  'GET /api/devices': 'crew',
  'POST /api/devices': 'crew',
  // Crew members can change and remove only their own devices.
  'PUT /api/devices/:id': 'crew',
  'DELETE /api/devices/:id': 'crew',
  'POST /api/devices/:id/test': 'crew',
  'POST /api/notifications': 'crew',

  'PUT /api/me': 'crew',
  'GET /api/people': 'crew',
  // Crew members can end only their own sessions.
  'DELETE /api/sessions/:id': 'crew',
  'DELETE /api/sessions': 'owner',
  'POST /api/crew': 'owner',
  'DELETE /api/crew/:email': 'owner',
  'PUT /api/owners/:email': 'owner',
  'DELETE /api/owners/:email': 'owner',
} as const satisfies Record<string, Role | 'everyone'>

export type DeskRoute = keyof typeof routes

export const isListed = (route: string): route is DeskRoute => Object.hasOwn(routes, route)

/** Owners may use every route. */
export const mayUse = (role: Role, route: DeskRoute): boolean =>
  role === 'owner' || routes[route] !== 'owner'
