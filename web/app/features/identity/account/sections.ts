/** The account page's sections in order. Their ids are URL fragments. */
export const sections = [
  { id: 'profile', title: 'Profile' },
  { id: 'email', title: 'Email address' },
  { id: 'password', title: 'Password' },
  { id: 'sign-in', title: 'Ways to sign in' },
  { id: 'authenticator', title: 'Authenticator app' },
  { id: 'passkeys', title: 'Passkeys' },
  { id: 'recovery', title: 'Recovery codes' },
  { id: 'sessions', title: 'Sessions' },
  { id: 'data', title: 'Your data' },
  { id: 'delete', title: 'Delete account' },
] as const

export type SectionId = (typeof sections)[number]['id']
