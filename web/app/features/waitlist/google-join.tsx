import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, client, refusalWords } from '../../api'
import { BrandSign } from '../../ui/brand-sign'
import { Button } from '../../ui/button'
import { toast } from '../../ui/toast'
import { useHydrated } from '../../ui/use-hydrated'
import { newCodeChallenge } from '../auth/pkce'
import { googleFlag } from './google-flag'

/** However long Google takes, the button can be pressed again after this (specification §9). */
const BUSY_MS = 30_000
const FAILED = 'Failed to sign in with Google. Please try again.'

/** The other way to join. Not there where the server does not offer it. */
export function GoogleJoin({ referralCode }: { referralCode: string | null }) {
  const hydrated = useHydrated()
  const providers = useQuery({
    ...api.identities.listProviders.queryOptions(),
    enabled: hydrated,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (!busy) return
    const timer = setTimeout(() => setBusy(false), BUSY_MS)
    return () => clearTimeout(timer)
  }, [busy])

  const begin = async () => {
    setBusy(true)
    googleFlag.set()
    try {
      const codeChallenge = await newCodeChallenge('google')
      if (!codeChallenge) throw new Error('The browser has no cryptography to offer.')
      const { url } = await client.identities.authorize({
        provider: 'google',
        intent: 'waitlist',
        codeChallenge,
        ...(referralCode ? { referralCode } : {}),
      })
      location.assign(url)
    } catch (error) {
      googleFlag.clear()
      setBusy(false)
      toast.error(refusalWords(error, FAILED))
    }
  }

  const isOffered = providers.data?.providers.includes('google')
  if (!isOffered && !providers.isPending) return null
  return (
    // Its room is kept while it is not known, so that nothing moves.
    <div className={isOffered ? 'grid gap-4' : 'invisible grid gap-4'}>
      <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        OR
      </p>
      <Button size="lg" wide loading={busy} icon={<BrandSign brand="google" />} onClick={begin}>
        Sign up with Google
      </Button>
    </div>
  )
}
