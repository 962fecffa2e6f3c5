import { Search } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { useSession } from '../../../session'
import { Button } from '../../../ui/button'
import { Input } from '../../../ui/input'
import { PlainForm } from '../../../ui/plain-form'
import { SupportLine } from './support-line'

export function NotFound() {
  const carry = useCarriedReferral()
  const isMember = useSession().status === 'signed-in'
  return (
    <div className="page-width flex min-h-[70dvh] flex-col items-center justify-center gap-3 text-center">
      <h1 className="text-3xl">404 - Page Not Found</h1>
      <p className="max-w-sm text-base text-muted">
        This page doesn't exist. It may have moved, or the link may have a typo.
      </p>
      {isMember && <LeadSearch />}
      <Link to={carry(paths.home)} className="text-link pt-1 text-base">
        Back to Home
      </Link>
      <SupportLine />
    </div>
  )
}

/** Searches the leads for people. */
function LeadSearch() {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const search = () => {
    if (text.trim() !== '') void navigate(`${paths.leads}?${new URLSearchParams({ keyword: text.trim() })}`)
  }
  return (
    <search className="w-full max-w-sm pt-2">
      <PlainForm className="flex gap-2" onSubmit={search}>
        <Input
          type="search"
          aria-label="Search leads"
          placeholder="Search leads"
          leading={<Search aria-hidden />}
          className="flex-1"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit">Search</Button>
      </PlainForm>
    </search>
  )
}
