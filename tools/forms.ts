/**
 * Forms that store nothing, by file: secrets and codes, searches, commands, and forms whose page
 * stores the text itself.
 */
const UNSTORED_FORMS: Readonly<Record<string, string>> = {
  'features/identity/account/delete-section.tsx': 'a confirmation',
  'features/identity/account/enrol-authenticator-dialog.tsx': 'a code',
  'features/identity/account/password-section.tsx': 'passwords',
  'features/identity/auth/confirm-email-form.tsx': 'a password',
  'features/identity/auth/reauth-dialog.tsx': 'a password or a code',
  'features/identity/auth/reset-password-form.tsx': 'passwords',
  'features/identity/auth/second-factor-form.tsx': 'a code',
  'features/leads/leads/filter-editor.tsx': 'a filter, which is in the address',
  'features/outreach/campaigns/campaign-builder.tsx': 'stored as a draft on the server',
  'features/outreach/campaigns/campaign-form.tsx': 'stored as a draft on the server',
  'features/outreach/inbox/snooze-menu.tsx': 'a command',
  'features/outreach/x-apps/x-app-form.tsx': 'secrets',
  'features/overview/dashboard/name-referrer.tsx': 'a code',
  'features/overview/shell/not-found.tsx': 'a search',
  'features/platform/branding/branding-tab.tsx': 'a file and a color, which are easily chosen again',
}

/** Files with fields outside of any form that they contain, and why nothing typed there is lost. */
const FIELDS_ELSEWHERE: Readonly<Record<string, string>> = {
  'features/identity/auth/email-input.tsx': 'part of forms',
  'features/identity/auth/new-password-fields.tsx': 'passwords',
  'features/leads/leads/advanced-filters.tsx': 'filters, which are in the address or in the form around them',
  'features/leads/leads/filter-fields.tsx': 'filters, which are in the address or in the form around them',
  'features/leads/leads/import-file-picker.tsx': 'a file',
  'features/leads/leads/import-mapping.tsx': 'part of the form of import-dialog.tsx',
  'features/leads/leads/lead-filters.tsx': 'a search, which is in the address',
  'features/leads/lists/manage-leads-dialog.tsx': 'a search',
  'features/leads/scrapes/follower-histogram.tsx': 'a filter, which is in the address',
  'features/leads/scrapes/follower-range.tsx': 'part of the form of scrape-form.tsx',
  'features/leads/scrapes/source-field.tsx': 'part of the form of scrape-form.tsx',
  'features/leads/suppressions/suppressions-tab.tsx': 'a search',
  'features/outreach/campaigns/campaign-fields.tsx': 'part of the form of a new campaign',
  'features/outreach/campaigns/message-field.tsx': 'part of forms',
  'features/outreach/campaigns/message-preview.tsx': 'a search',
  'features/outreach/campaigns/results-message.tsx': 'stored with each change',
  'features/outreach/inbox/conversation-list.tsx': 'a search',
  'features/outreach/inbox/early-keys.tsx': 'stored with the drafts of answers',
  'features/outreach/inbox/early-reply.tsx': 'stored with the drafts of answers',
  'features/outreach/inbox/reply-box.tsx': 'stored with the drafts of answers, here and on the server',
  'features/outreach/sequences/message-editor.tsx': 'stored as a whole by use-typed-sequence.ts',
  'features/outreach/sequences/reengagement-card.tsx': 'stored as a whole by use-typed-sequence.ts',
  'features/outreach/sequences/test-settings.tsx': 'stored as a whole by use-typed-sequence.ts',
  'features/outreach/sequences/wait-row.tsx': 'stored as a whole by use-typed-sequence.ts',
  'features/outreach/templates/template-fields.tsx': 'part of forms',
  'features/outreach/templates/template-picker.tsx': 'a search',
  'features/overview/analytics/analytics.tsx': 'dates, which are in the address',
  'features/overview/operator/members.tsx': 'a search',
  'features/overview/operator/views.tsx': 'dates, which are in the address',
  'features/overview/shell/theme-switch.tsx': 'a choice, which applies immediately',
  'features/platform/billing/pricing-plans.tsx': 'a choice, which applies immediately',
  'features/waitlist/waitlist/embed-dialog.tsx': 'read-only',
  'features/waitlist/waitlist/referral-link.tsx': 'read-only',
  'pages/outreach/campaigns.tsx': 'a search, which is in the address',
  'pages/outreach/templates.tsx': 'a search, which is in the address',
}

const screen = /^web\/app\/((?:features|pages)\/.*(?<!\.test)\.tsx)$/
/** A page for development only. */
const gallery = 'pages/ui.tsx'
const walk = 'e2e/journeys/typed-text.spec.ts'
const field = /<(?:[A-Z][a-z]*)?(?:Input|Textarea|Combobox|input|textarea)\b/
const formTag = /<(?:PlainForm\b|Form(?:Dialog)?\s[^>]*?\bname=(?:"([^"]+)"|\{null\}|\{\w+ \? '([^']+)' : null\}))/g
const anyFormTag = /<(?:Form|FormDialog|PlainForm|form)[\s>]/

/**
 * Finds fields whose text would be lost by a reload, and forms that the journey of typed text does
 * not walk. Nothing that people type is lost, except secrets and codes.
 */
export function formProblems(files: readonly string[], read: (path: string) => string): string[] {
  const problems: string[] = []
  const names = new Map<string, string>()
  const excused = new Set<string>()
  for (const path of files) {
    const name = screen.exec(path)?.[1]
    if (!name || name === gallery) continue
    const text = read(path)
    const forms = [...text.matchAll(formTag)]
    if (forms.length !== text.split(anyFormTag).length - 1)
      problems.push(`${path}: write the name of a form before its functions, and use Form`)
    for (const [, always, sometimes] of forms) {
      const form = always ?? sometimes
      if (form === undefined) {
        excused.add(name)
        if (!(name in UNSTORED_FORMS)) problems.push(`${path}: a form without a name. Say why in tools/forms.ts`)
      } else if (names.has(form)) problems.push(`${path}: ${names.get(form)} has a form named ${form}, too`)
      else names.set(form, path)
    }
    if (anyFormTag.test(text) || !field.test(text)) continue
    excused.add(name)
    if (!(name in FIELDS_ELSEWHERE))
      problems.push(`${path}: a field outside of a form. Use Form, or see tools/forms.ts`)
  }
  for (const name of Object.keys({ ...UNSTORED_FORMS, ...FIELDS_ELSEWHERE }))
    if (!excused.has(name)) problems.push(`tools/forms.ts: web/app/${name} needs no exception`)
  const walked = new Set([...read(walk).matchAll(/^ {2,4}(?:\{ )?name: '([^']+)'/gm)].map(([, name]) => name))
  for (const [form, path] of names) if (!walked.has(form)) problems.push(`${path}: add its form ${form} to ${walk}`)
  for (const form of walked) if (form && !names.has(form)) problems.push(`${walk}: there is no form named ${form}`)
  return problems
}
