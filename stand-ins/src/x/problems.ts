/**
 * An error response in X's formats
 * (https://docs.x.com/x-api/fundamentals/response-codes-and-errors).
 */
export class Problem extends Error {
  status: number
  /** An object for JSON, or a string for a page. */
  body: object | string
  headers: Record<string, string>
  constructor(status: number, body: object | string, headers: Record<string, string> = {}) {
    super(`${status} ${JSON.stringify(body)}`)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

const type = (name: string) => `https://api.x.com/2/problems/${name}`

const GENERIC: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** Returns an error without any detail but its status. */
export function genericProblem(status: number, headers?: Record<string, string>): Problem {
  const title = GENERIC[status] ?? 'Error'
  const name = status === 429 ? type('rate-limit-exceeded') : 'about:blank'
  return new Problem(status, { title, detail: title, type: name, status }, headers)
}

/** Returns a 400 that names an invalid parameter. */
export function invalidRequest(parameter: string, value: unknown, message: string): Problem {
  return new Problem(400, {
    errors: [{ parameters: { [parameter]: [String(value ?? '')] }, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: type('invalid-request'),
  })
}

const CODES: Record<number, string> = {
  50: 'User not found.',
  64: 'Your account is suspended and is not permitted to access this feature.',
  151: 'There was an error sending your message: You already said that.',
  226: 'This request looks like it might be automated. To protect our users from spam and other malicious activity, we can’t complete this action right now.',
  326: 'To protect our users from spam and other malicious activity, this account is temporarily locked. Please log in to https://x.com to unlock your account.',
  349: 'You cannot send messages to this user.',
  476: 'You are not verified to send message requests to this user.',
}

/** Returns an error about an account or a recipient, in X's older format `{ code, message }`. */
export function codedProblem(
  status: number,
  code: number,
  message = CODES[code] ?? 'Error',
  headers?: Record<string, string>,
): Problem {
  return new Problem(status, { code, message }, headers)
}

/**
 * Errors that developers have reported, by a name for tests. `cloudflare` is a page of Cloudflare
 * rather than a response from X.
 */
const NAMED = {
  credits: {
    title: 'CreditsDepleted',
    detail: 'Your enrolled account does not have any credits to fulfill this request.',
    type: type('credits'),
    status: 402,
  },
  'spend-cap': {
    title: 'SpendCapReached',
    detail: 'Your enrolled account has reached its billing cycle spend cap.',
    type: type('credits'),
    status: 403,
  },
  'usage-capped': {
    title: 'UsageCapExceeded',
    detail: 'Usage cap exceeded: Monthly product cap',
    type: type('usage-capped'),
    status: 429,
  },
  premium: { title: 'Forbidden', detail: CODES[476], type: 'about:blank', status: 403 },
  encrypted: { title: 'Forbidden', detail: 'onlyEncryptedMessagesAllowed', type: 'about:blank', status: 403 },
  'not-permitted': {
    title: 'Forbidden',
    detail: 'This operation is not permitted.',
    type: 'about:blank',
    status: 403,
  },
  'no-permission': {
    title: 'Forbidden',
    detail: 'You do not have permission to DM one or more participants.',
    type: 'about:blank',
    status: 403,
  },
  cloudflare: { status: 503 },
} as const

export type ProblemName = keyof typeof NAMED

export const PROBLEM_NAMES = Object.keys(NAMED) as ProblemName[]

const CLOUDFLARE_PAGE =
  '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><h1>api.x.com</h1></body></html>'

/** Returns the error with this name. @param status replaces the error's usual status */
export function namedProblem(name: ProblemName, status: number = NAMED[name].status, headers?: Record<string, string>) {
  if (name === 'cloudflare') return new Problem(status, CLOUDFLARE_PAGE, headers)
  return new Problem(status, { ...NAMED[name], status }, headers)
}

/** Returns a 400 for a request that is valid but refused, such as `DuplicateSubscription`. */
export function rejected(reason: string, detail: string): Problem {
  return new Problem(400, { title: reason, detail: `${reason}: ${detail}`, type: type('invalid-request'), status: 400 })
}

/** Returns an error that X sends in a 200, like the functions below. */
export function userNotFound(parameter: 'username' | 'id', value: string) {
  return {
    value,
    detail: `Could not find user with ${parameter}: [${value}].`,
    title: 'Not Found Error',
    resource_type: 'user',
    parameter,
    resource_id: value,
    type: type('resource-not-found'),
  }
}

export function notFound(kind: 'tweet' | 'list', id: string) {
  return {
    value: id,
    detail: `Could not find ${kind} with id: [${id}].`,
    title: 'Not Found Error',
    resource_type: kind,
    parameter: 'id',
    resource_id: id,
    type: type('resource-not-found'),
  }
}

export function userSuspended(parameter: 'username' | 'id', value: string) {
  return { ...userNotFound(parameter, value), detail: `User has been suspended: [${value}].`, title: 'Forbidden' }
}

export function notAuthorizedToSee(id: string) {
  return {
    resource_id: id,
    parameter: 'id',
    resource_type: 'user',
    section: 'data',
    title: 'Authorization Error',
    value: id,
    detail: `Sorry, you are not authorized to see the user with id: [${id}].`,
    type: type('not-authorized-for-resource'),
  }
}
