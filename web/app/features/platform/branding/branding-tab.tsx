import { useQuery } from '@tanstack/react-query'
import { fieldProblem } from '@x-automated/contract/input-problems'
import type { Branding } from '@x-automated/contract/platform/branding'
import {
  LOGO_BYTES_MAX,
  LOGO_TOO_LARGE,
  LOGO_TYPES,
  LOGO_UNKNOWN,
} from '@x-automated/contract/platform/branding-limits'
import { CLIENT_REPORTS_TEXT, hasClientReports } from '@x-automated/contract/platform/plans'
import { ImageUp } from 'lucide-react'
import { type ChangeEvent, type ReactNode, useId, useState } from 'react'
import { api, client, errorText, fieldProblems } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Field, FieldError } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { RoleNotice } from '../../identity/people/role-notice'
import { isAtLeast } from '../../identity/people/use-role'
import { SeePlans } from '../billing/usage-notice'
import { BrandBand } from './brand-band'

/** The workspace's logo and color, for client reports. Admins can change them. */
export function BrandingTab() {
  const me = useQuery(api.auth.me.queryOptions())
  const overview = useQuery(api.billing.overview.queryOptions())
  const branding = useQuery(api.branding.find.queryOptions())
  const failed = [branding, me, overview].find((query) => query.isError && !query.data)
  if (failed) return <QueryError query={failed} fallback="Failed to load the branding. Please try again." />
  if (!me.data || !overview.data || !branding.data)
    return (
      <>
        <LoadingText>Loading branding…</LoadingText>
        <Skeleton className="h-96" />
      </>
    )
  const { name, role } = me.data.workspace
  const isIncluded = hasClientReports(overview.data.level)
  return (
    <div className="grid grid-cols-1 gap-6">
      {!isIncluded && (
        <Callout title="Your plan doesn't include client reports" action={<SeePlans />}>
          {CLIENT_REPORTS_TEXT}
        </Callout>
      )}
      {isIncluded && (
        <RoleNotice needs="admin">Only the owner and admins can change the logo and the color.</RoleNotice>
      )}
      <Card title="Branding" description="Client reports show your logo, name and color instead of ours.">
        {isIncluded && isAtLeast(role, 'admin') ? (
          <BrandingForm name={name} saved={branding.data} />
        ) : (
          <Preview name={name} {...branding.data} />
        )}
      </Card>
    </div>
  )
}

/** What the color field displays if there is no color. */
const NO_COLOR = '#808080'

function BrandingForm({ name, saved }: { name: string; saved: Branding }) {
  const [draft, setDraft] = useState<Branding | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const current = draft ?? saved
  const change = (changed: Partial<Branding>) => setDraft((before) => ({ ...(before ?? saved), ...changed }))
  const save = useAction(client.branding.save, {
    done: 'Branding saved.',
    onSuccess: () => setDraft(null),
    onError(error) {
      const { logo, color } = fieldProblems(error)
      setProblem(logo ?? color ?? errorText(error, 'Failed to save the branding. Please try again.'))
    },
    refetches: [api.branding],
  })
  const pick = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const file = currentTarget.files?.[0]
    // Reset, so that the same file can be chosen again.
    currentTarget.value = ''
    if (!file) return
    const wrong = problemOf(file)
    setProblem(wrong && fieldProblem('logo', wrong).problem)
    if (wrong) return
    try {
      change({ logo: await dataUrlOf(file) })
    } catch {
      setProblem('Failed to read the file. Please choose it again.')
    }
  }
  const submit = () => {
    setProblem(null)
    save.run(current)
  }
  // The focus must be handled here, because the card does not rerender when the draft changes.
  const focusFallback = useFocusFallback<HTMLFormElement>()
  return (
    <Form name={null} {...focusFallback} className="gap-5 outline-none" onSubmit={submit}>
      <div className="flex flex-wrap items-end gap-4">
        <FilePicker onPick={pick}>{current.logo ? 'Replace logo' : 'Upload logo'}</FilePicker>
        {current.logo && (
          <Button variant="ghost" onClick={() => change({ logo: null })}>
            Remove logo
          </Button>
        )}
        <Field label="Color" className="w-32">
          <Input
            type="color"
            className="cursor-pointer px-1!"
            value={current.color ?? NO_COLOR}
            onChange={(event) => change({ color: event.currentTarget.value })}
          />
        </Field>
        {current.color && (
          <Button variant="ghost" onClick={() => change({ color: null })}>
            Remove color
          </Button>
        )}
      </div>
      <p className="-mt-2 text-muted">PNG, JPEG or WebP, up to {LOGO_BYTES_MAX / 1024} KB.</p>
      {problem && <FieldError id="branding-problem">{problem}</FieldError>}
      <Preview name={name} {...current} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" loading={save.isPending} disabled={draft === null}>
          Save branding
        </Button>
        {draft && (
          <Button
            onClick={() => {
              setDraft(null)
              setProblem(null)
            }}
          >
            Discard changes
          </Button>
        )}
      </div>
    </Form>
  )
}

function FilePicker({
  onPick,
  children,
}: {
  onPick: (event: ChangeEvent<HTMLInputElement>) => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <label
      htmlFor={id}
      className="inline-flex min-h-9 cursor-pointer items-center gap-2 rounded-md border border-control bg-surface px-3.5 font-strong shadow-xs hover:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line pointer-coarse:min-h-11"
    >
      <ImageUp aria-hidden className="size-4" />
      {children}
      <input id={id} type="file" accept={LOGO_TYPES.join(',')} className="sr-only" onChange={onPick} />
    </label>
  )
}

function Preview({ name, logo, color }: Branding & { name: string }) {
  return (
    <figure className="grid gap-2">
      <figcaption className="font-strong">Preview</figcaption>
      <div className="overflow-hidden rounded-lg border border-line">
        <BrandBand name={name} logo={logo} color={color} className="p-5">
          <p className="text-2xl font-strong">Your report</p>
        </BrandBand>
      </div>
    </figure>
  )
}

/** What is wrong with a file, by its type and size. The server checks its bytes. */
function problemOf({ type, size }: File): string | null {
  if (!LOGO_TYPES.some((allowed) => allowed === type)) return LOGO_UNKNOWN
  return size > LOGO_BYTES_MAX ? LOGO_TOO_LARGE : null
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
