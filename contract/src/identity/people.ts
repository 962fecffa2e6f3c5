import { z } from 'zod'
import { Email, Id, Page, paging, requiredName, requiredText, Success, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { Workspace } from './auth.ts'

const route = routes('People')

/** Days until an emailed invitation expires. */
export const INVITATION_DAYS = 7
/** Maximum number of pending invitations per workspace. */
export const INVITATIONS_MAX = 100

/** Roles that admins can assign. Only an owner can pass on ownership. */
export const AssignableRole = z.enum(['viewer', 'member', 'admin'])
export type AssignableRole = z.output<typeof AssignableRole>

/** A person in a workspace. `id` is the id of their account. */
export const Person = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: Workspace.shape.role,
  /** Whether this is the caller. */
  isYou: z.boolean(),
  joinedAt: Time,
})
export type Person = z.output<typeof Person>

/** A pending invitation to a workspace. */
export const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: AssignableRole,
  /** Name of the inviter; null if their account was deleted. */
  invitedBy: z.string().nullable(),
  sentAt: Time,
  expiresAt: Time,
})
export type Invitation = z.output<typeof Invitation>

/** The details that the invitation link reveals. Whether the address has an account is not among them. */
const ReceivedInvitation = z.object({
  workspaceName: z.string(),
  invitedBy: z.string().nullable(),
  role: AssignableRole,
  email: z.string(),
  expiresAt: Time,
})

/** `details` of REAUTHENTICATION_NEEDED: the caller's single sign-on in the target workspace. */
export interface SwitchProof {
  /**
   * `same`: this session signed in through the same provider. Null: the caller cannot use single
   * sign-on there, so the account must reauthenticate.
   */
  singleSignOn: 'same' | 'another' | null
}

const Token = requiredText(200)

/** Keeps the person's API keys, suspended until an admin adopts them. */
const keepApiKeys = z.boolean().default(false)

export const people = {
  list: route('GET /workspace/people', 'viewer', 'none', {
    summary: 'List the people in the workspace, owner first, then by when they joined',
  })
    .input(z.strictObject(paging(50)))
    .output(Page.extend({ people: z.array(Person) })),

  update: route('PATCH /workspace/people/{id}', 'admin', 'rows', {
    summary: "Change a person's role",
    description:
      "Takes effect on every process within 60 seconds. The owner's role changes only by a transfer. If an admin loses the role, the invitations they sent are revoked, and their API keys are suspended until an admin adopts them.",
    errors: ['PERSON_NOT_FOUND', 'LAST_OWNER'],
  })
    .input(z.strictObject({ id: Id, role: AssignableRole }))
    .output(Person),

  remove: route('DELETE /workspace/people/{id}', 'admin', 'rows', {
    summary: 'Remove a person from the workspace',
    description:
      'Ends their access on every process within 60 seconds. What they created stays, but their pending invitations are revoked, and their API keys are deleted (`keepApiKeys`: suspended).',
    errors: ['PERSON_NOT_FOUND', 'LAST_OWNER'],
  }).input(z.strictObject({ id: Id, keepApiKeys })),

  leave: route('POST /workspace/leave', 'viewer', 'rows', {
    summary: 'Leave the workspace',
    description: 'Deletes the API keys you created (`keepApiKeys`: suspends them).',
    errors: ['LAST_OWNER'],
  })
    .input(z.preprocess((body) => body ?? {}, z.strictObject({ keepApiKeys })))
    .output(Success),

  transfer: route('POST /workspace/owner', 'owner', 'unkeyed', {
    summary: 'Transfer the workspace to another owner',
    description:
      'Requires the current password or a recent reauthentication. The former owner becomes an admin. Billing and deletion pass to the new owner.',
    errors: ['PERSON_NOT_FOUND', 'REAUTHENTICATION_NEEDED', 'INVALID_CREDENTIALS'],
  })
    .input(z.strictObject({ personId: Id, currentPassword: z.string().min(1).max(1000).optional() }))
    .output(Success),

  rename: route('PATCH /workspace', 'admin', 'rows', { summary: 'Rename the workspace' })
    .input(z.strictObject({ name: requiredName(100) }))
    .output(Workspace),

  switch: route('POST /workspace/switch', 'viewer', 'unkeyed', {
    summary: 'Switch to another of your workspaces',
    description:
      'Returns tokens of this session for that workspace, which is also the one of your next sign-in. ' +
      'A single sign-on session only works in its own workspace: 403 REAUTHENTICATION_NEEDED with details { singleSignOn }. ' +
      'It is `same` or `another` if the caller has linked single sign-on of the target workspace: POST /auth/sso with its workspaceId signs in there. ' +
      'POST /auth/reauthenticate always lets this session switch.',
    errors: ['WORKSPACE_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  })
    .input(z.strictObject({ workspaceId: Id }))
    .output(z.object({ token: z.string(), refreshToken: z.string(), expiresAt: Time, workspace: Workspace })),

  listInvitations: route('GET /workspace/invitations', 'admin', 'none', {
    summary: 'List the pending invitations',
  }).output(
    z.object({
      invitations: z.array(Invitation),
      /** Why the plan allows no more people, and which plan does; null if it allows more. */
      planLimit: z.string().nullable(),
    }),
  ),

  invite: route('POST /workspace/invitations', 'admin', 'rows', {
    summary: 'Invite a person by email',
    description: `The link works once, for ${INVITATION_DAYS} days, and only for the account with this verified address. Inviting an address again emails a new link and invalidates the old one. The response does not reveal whether the address has an account.`,
    errors: ['PLAN_LIMIT', 'ALREADY_IN_WORKSPACE', 'TOO_MANY'],
  })
    .input(z.strictObject({ email: Email, role: AssignableRole }))
    .output(Invitation),

  resend: route('POST /workspace/invitations/{id}/resend', 'admin', 'rows', {
    summary: 'Email an invitation again',
    description: 'Sends a new link and invalidates the old one.',
    errors: ['INVITATION_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Invitation),

  revoke: route('DELETE /workspace/invitations/{id}', 'admin', 'rows', {
    summary: 'Revoke an invitation',
    errors: ['INVITATION_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  findInvitation: route('POST /invitations/find', 'public', 'unkeyed', {
    summary: 'Get the invitation of an emailed link',
    errors: ['INVITATION_NOT_FOUND'],
  })
    .input(z.strictObject({ token: Token }))
    .output(ReceivedInvitation),

  accept: route('POST /invitations/accept', 'viewer', 'rows', {
    summary: 'Accept an invitation',
    description: 'A single sign-on session must reauthenticate first.',
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_ADDRESS', 'PLAN_LIMIT', 'REAUTHENTICATION_NEEDED'],
  })
    .input(z.strictObject({ token: Token }))
    .output(Workspace),
}
