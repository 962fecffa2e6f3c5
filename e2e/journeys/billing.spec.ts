import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSoundPage, importLeads, openWorld, refuse, type SignedUp, signUp, type World } from '../world.ts'

const WORKS = '4242 4242 4242 4242'
const DECLINED = '4000 0000 0000 0002'
/** A test card that requires confirmation of every charge. */
const TO_CONFIRM = '4000 0027 6000 3184'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

/** Opens the billing page of a new account. */
async function openBilling(email: string, options?: Parameters<World['openPage']>[0]) {
  const [page, account] = await Promise.all([world.openPage(options), signUp(world, email)])
  await account.enter(page)
  await page.goto('/billing')
  await page.getByText('You have no subscription.').waitFor()
  return { page, account }
}

/** Waits until the workspace has a plan. */
async function waitForPlan({ token }: SignedUp, planId: string): Promise<void> {
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const body = await (await fetch(`${world.origin}/api/billing/subscription`, { headers })).json()
    return (body as { subscription: { planId: string } | null }).subscription?.planId
  }
  await expect.poll(ask, { timeout: 120_000, interval: 100 }).toBe(planId)
}

const atPayments = (path: string, method: 'PUT' | 'POST', body: unknown) =>
  fetch(world.payments.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** A plan's card on the billing page. */
const card = (page: Page, plan: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: plan, exact: true }) })

/** The value under a heading of the current subscription's card. */
const fact = (page: Page, name: string) =>
  page
    .locator('section', { has: page.getByRole('heading', { name: 'Current Subscription' }) })
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .locator('dd')

async function payWith(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByRole('button', { name: /^(Subscribe|Pay) ?/ }).click()
}

describe('plans and payments, in a browser', () => {
  it('gives guests the plan they paid for, without JavaScript and even if the webhook is lost', async () => {
    const email = 'cleo@example.com'
    const account = await signUp(world, email)
    await atPayments('/_faults', 'PUT', [{ webhook: 'lose' }])
    const guest = await world.openPage({ script: false })
    await guest.goto('/')
    await guest.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pricing' }).click()
    await guest.getByRole('heading', { name: 'Choose Your Plan' }).waitFor()
    await guest.getByText('Start automating your Twitter growth today').waitFor()
    const cards = guest.locator('main li:has(h2):visible')
    expect(await cards.getByRole('heading').allInnerTexts()).toEqual(['Free', 'Pro', 'Agency'])
    await guest.getByText('Save 50%').click()
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(/^Free\s+Try it [^$]+\$0\s*\/month\s+No card needed\s+Sign Up Now\s+Leads a month\s+100\s/),
      expect.stringMatching(
        /^Pro Yearly\s+MOST POPULAR\s+For [^$]+\$300\s*\/year\s+\$25 a month · Save \$300\s+.*All Pro features/s,
      ),
      expect.stringMatching(
        /^Agency Yearly\s+For [^$]+\$720\s*\/year\s+\$60 a month · Save \$720\s+.*All Agency features/s,
      ),
    ])
    const [bought] = await Promise.all([
      guest.waitForEvent('popup'),
      cards.nth(1).getByRole('link', { name: 'Get Started' }).click(),
    ])
    await bought.getByLabel('Email').fill(email)
    await payWith(bought, WORKS)
    await bought.waitForURL(`${world.origin}/billing?checkout=success`)
    await guest.context().close()

    // The server polls for missed events at startup and every minute.
    await world.killServer()
    await world.startServer()
    await atPayments('/_faults', 'PUT', [])
    await waitForPlan(account, 'pro_yearly')
    const page = await world.openPage()
    await page.goto('/billing?checkout=success')
    await page
      .getByText('Thank you! Log in, or sign up with the email address you paid with, to use your plan.')
      .waitFor()
    await account.enter(page)
    await page.goto('/pricing')
    // Once the workspace has a plan, the page offers changes instead of a second purchase.
    await page.waitForFunction(
      () => document.querySelector('main a[target=_blank]')?.getAttribute('href') === '/billing',
    )
    await page.goto('/billing')
    await fact(page, 'Amount').getByText('$300.00/year').waitFor()
    expect(await page.getByRole('button', { name: /^Yearly/ }).getAttribute('aria-pressed')).toBe('true')
  })

  it('upgrades to Pro and to yearly Agency, cancels, renews, cancels again and ends', async () => {
    const email = 'ada@example.com'
    const { page } = await openBilling(email)
    expect([await fact(page, 'Plan').innerText(), await fact(page, 'Amount').innerText()]).toEqual([
      'Free',
      '$0.00/month',
    ])
    await page.getByText('0 of 100').waitFor()

    await card(page, 'Pro').getByRole('button', { name: 'Select Plan' }).click()
    await page.waitForURL(`${world.payments.url}/**`)
    expect(await page.getByLabel('Email').inputValue()).toBe(email)
    await payWith(page, WORKS)
    await page.waitForURL(`${world.origin}/billing*`)
    await page.getByText('Thank you! Your plan is being set up.').waitFor()
    await fact(page, 'Status').getByText('Active', { exact: true }).waitFor()
    expect([await fact(page, 'Plan').innerText(), await fact(page, 'Amount').innerText()]).toEqual([
      'Pro',
      '$50.00/month',
    ])
    await page.getByText('0 of 1,000').waitFor()
    expect(await card(page, 'Pro').getByRole('button', { name: 'Current Plan' }).isDisabled()).toBe(true)
    await card(page, 'Agency').getByRole('button', { name: 'Upgrade' }).waitFor()

    // The price is shown before the change.
    await page.getByText('Save 40%').click()
    await card(page, 'Agency Yearly').getByRole('button', { name: 'Upgrade' }).click()
    const dialog = page.getByRole('dialog', { name: 'Upgrade to Agency Yearly' })
    await dialog.getByText(/^Unused time on Pro/).waitFor()
    await dialog.getByText('Due now').waitFor()
    expect(await dialog.innerText()).toMatch(/−?-?\$50\.00[\s\S]*\$720\.00[\s\S]*\$670\.00/)
    await expectSoundPage(page)
    await dialog.getByRole('button', { name: 'Confirm upgrade' }).click()
    await page.getByText('Your plan has been upgraded successfully!').waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await fact(page, 'Amount').getByText('$720.00/year').waitFor()
    await card(page, 'Agency Yearly').getByRole('button', { name: 'Current Plan' }).waitFor()
    await card(page, 'Pro Yearly').getByRole('button', { name: 'Select Plan' }).waitFor()
    await page.getByText('0 used (unlimited)').waitFor()
    await page.getByRole('table', { name: 'Invoices' }).getByText('$670.00').waitFor()

    await page.getByRole('button', { name: 'Cancel subscription' }).click()
    const question = page.getByRole('alertdialog')
    const sure =
      "Are you sure you want to cancel your subscription? You'll still have access until the end of your billing period."
    await question.getByText(sure).waitFor()
    await question.getByRole('button', { name: 'Cancel subscription' }).click()
    await page.getByText('Your subscription has been canceled and will end at the current billing period.').waitFor()
    await fact(page, 'Status').getByText('Active (Cancels at period end)', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Cancel subscription' }).count()).toBe(0)
    await page.getByText("You won't be charged again, and your queued messages are kept.").waitFor()
    await page.getByRole('button', { name: 'Keep subscription' }).click()
    await fact(page, 'Status').getByText('Active', { exact: true }).waitFor()

    // Changes made on the provider's pages are shown immediately after the return.
    await page.getByRole('button', { name: 'Manage billing' }).click()
    await page.getByRole('button', { name: 'Cancel plan' }).click()
    await page.getByRole('link', { name: 'Return to X-Automated' }).click()
    await fact(page, 'Ends on').waitFor()

    expect((await atPayments('/_clock', 'POST', { advanceSeconds: 367 * 86_400 })).status).toBe(200)
    await page.goto('/billing?checkout=over')
    await page.getByText(/^Your Agency Yearly plan ended on/).waitFor()
    expect(await fact(page, 'Plan').innerText()).toBe('Free')
    await page.getByText('0 of 100').waitFor()
  })

  it('changes nothing after a decline and charges a card once it is confirmed', async () => {
    const [pricing, account] = await Promise.all([
      world.openPage({ width: 390, height: 844, dark: true }),
      signUp(world, 'bob@example.com'),
    ])
    await account.enter(pricing)
    const requests: string[] = []
    pricing.on('request', (request) => request.url().endsWith('/billing/links/own') && requests.push(request.url()))
    await pricing.goto('/pricing')
    const link = pricing.getByRole('link', { name: 'Get Started' }).first()
    await expectSoundPage(pricing)
    expect(requests).toEqual([])
    // The link gets the workspace and the email once someone points at it.
    await link.hover()
    await expect
      .poll(() => link.getAttribute('href'), { timeout: 120_000 })
      .toMatch(/client_reference_id=.+prefilled_email=bob%40example\.com$/)
    const [page] = await Promise.all([pricing.waitForEvent('popup'), link.click()])
    await payWith(page, DECLINED)
    await page.getByRole('alert').getByText('Your card was declined.').waitFor()
    await payWith(page, TO_CONFIRM)
    await page.getByRole('button', { name: 'Fail' }).click()
    await page.getByText(/^We are unable to authenticate your payment method/).waitFor()
    await payWith(page, TO_CONFIRM)
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.waitForURL(`${world.origin}/billing*`)
    await fact(page, 'Status').getByText('Active', { exact: true }).waitFor()
    await expectSoundPage(page)

    // The pricing page was opened before the purchase. It now leads to Billing, not to a second
    // payment.
    world.expectConsole(/status of 409/)
    const [again] = await Promise.all([pricing.waitForEvent('popup'), link.click()])
    await again.waitForURL(`${world.origin}/billing`)
    await fact(again, 'Status').getByText('Active', { exact: true }).waitFor()
    await again.close()

    // The upgrade stays pending until it is paid.
    await card(page, 'Agency').getByRole('button', { name: 'Upgrade' }).click()
    const dialog = page.getByRole('dialog', { name: 'Upgrade to Agency' })
    await dialog.getByRole('button', { name: 'Confirm upgrade' }).click()
    await dialog.getByText('Your bank needs you to confirm this payment').waitFor()
    const [bank] = await Promise.all([
      page.waitForEvent('popup'),
      dialog.getByRole('link', { name: /^Confirm payment/ }).click(),
    ])
    await bank.getByRole('button', { name: /^Pay with/ }).click()
    await bank.getByText('This invoice is paid.').waitFor()
    await bank.close()
    await waitForPlan(account, 'agency_monthly')
    await page.reload()
    await fact(page, 'Plan').getByText('Agency', { exact: true }).waitFor()
  })

  it('shows errors, notices and limits that are nearly reached', async () => {
    const { page, account } = await openBilling('dora@example.com')
    world.expectConsole(/Failed to load resource/)
    // The server's message would have priority, but these responses have none.
    const failing = (path: string) => page.route(path, (route) => refuse(route, 409, 'SUBSCRIPTION_STATE', ''))
    const subscription = {
      planId: 'pro_monthly',
      status: 'active',
      currentPeriodEnd: '2099-12-24T12:00:00.000Z',
      cancelAtPeriodEnd: false,
    }
    const shows = async (changes: object, more: object = {}) => {
      const details = { ...subscription, ...changes }
      await page.route('**/api/billing/subscription', (route) =>
        route.fulfill({ json: { success: true, subscription: details } }),
      )
      await page.route('**/api/billing/overview', async (route) => {
        const overview = await (await route.fetch()).json()
        const planDetails = { name: '', level: 'pro', priceCents: null, billingCycle: 'monthly', trialEnd: null }
        const due = { pastDueSince: null, graceEndsAt: null, payUrl: null, manageable: true }
        await route.fulfill({ json: { ...overview, subscription: { ...details, ...planDetails, ...due, ...more } } })
      })
      await page.reload()
    }

    await failing('**/api/billing/checkout')
    await card(page, 'Pro').getByRole('button', { name: 'Select Plan' }).click()
    await page.getByText('Failed to process payment. Please try again.').waitFor()

    await failing('**/api/billing/plans?*')
    await failing('**/api/billing/subscription')
    await page.reload()
    await page.getByText('Your subscription status is unavailable').waitFor()
    await page.getByText('Failed to load pricing plans. Please try again.').waitFor()
    await card(page, 'Agency').getByText('White-label reports').waitFor()
    expect(await card(page, 'Pro').getByRole('button', { name: 'Select Plan' }).isDisabled()).toBe(true)
    await page.getByText('Save 40%').click()
    await card(page, 'Pro Yearly').getByText('Save $300 per year').waitFor()
    await card(page, 'Agency Yearly').getByText('Save $720 per year').waitFor()
    await expectSoundPage(page)
    await page.unroute('**/api/billing/plans?*')
    await page.unroute('**/api/billing/subscription')

    await shows({})
    await failing('**/api/billing/cancel')
    await page.getByRole('button', { name: 'Cancel subscription' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel subscription' }).click()
    await page.getByText('Failed to cancel subscription. Please try again.').waitFor()
    await failing('**/api/billing/upgrade')
    await page.route('**/api/billing/upgrade/preview?*', (route) =>
      route.fulfill({
        json: {
          planId: 'agency_monthly',
          name: 'Agency',
          currency: 'usd',
          dueNowCents: -700,
          creditCents: 2_700,
          lines: [{ text: 'Unused time on Pro', amountCents: -2_700 }],
          priceCents: 12_000,
          billingCycle: 'monthly',
          nextPaymentAt: '2099-12-24T12:00:00.000Z',
          prorationDate: '2099-12-01T12:00:00.000Z',
        },
      }),
    )
    await card(page, 'Agency').getByRole('button', { name: 'Upgrade' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Credit on your next invoices').waitFor()
    await dialog.getByRole('button', { name: 'Confirm upgrade' }).click()
    await page.getByText('Failed to upgrade plan. Please try again.').waitFor()
    await page.unroute('**/api/billing/upgrade')
    await page.route('**/api/billing/upgrade', (route) =>
      refuse(route, 409, 'PAYMENT_DECLINED', 'Your card has expired.'),
    )
    await dialog.getByRole('button', { name: 'Confirm upgrade' }).click()
    await dialog.getByText('Your card has expired. Your plan has not changed.').waitFor()

    await shows({ planId: 'gone', status: 'trialing' })
    await page.getByText('Your trial ends on').waitFor()
    await page.getByText('Your first payment of $9.99/month is due then.').waitFor()
    await expect.poll(() => fact(page, 'Plan').innerText()).toBe('Basic')
    expect(await page.getByRole('button', { name: 'Cancel subscription' }).count()).toBe(0)
    await shows(
      { status: 'past_due' },
      {
        pastDueSince: '2020-12-23T12:00:00.000Z',
        graceEndsAt: '2020-12-30T12:00:00.000Z',
        payUrl: 'https://example.com/pay',
      },
    )
    await page.getByText('Your workspace stays on Free until we receive your payment.').waitFor()
    // The due date is not the end of the unpaid period.
    expect(await fact(page, 'Payment was due').innerText()).toBe('Dec 23, 2020')
    await shows({ status: 'past_due' }, { graceEndsAt: '2099-12-30T12:00:00.000Z', payUrl: 'https://example.com/pay' })
    await page.getByText('You keep Pro until Dec 30, 2099.').waitFor()
    expect(await page.getByRole('link', { name: /^Pay the open invoice/ }).getAttribute('href')).toBe(
      'https://example.com/pay',
    )
    expect(await fact(page, 'Status').innerText()).toBe('Past due')
    await expectSoundPage(page)

    // The warning also appears next to actions that use up the limit.
    await page.unroute('**/api/billing/subscription')
    await page.unroute('**/api/billing/overview')
    await importLeads(world, account.token, ['name,twitter_handle', 'Grace,grace_hopper'])
    const limitText = 'Your Free plan includes 50 DMs a month. Upgrade to Pro for 5,000 DMs a month.'
    await page.route('**/api/billing/overview', async (route) => {
      const overview = await (await route.fetch()).json()
      for (const usage of overview.usage) if (usage.what === 'dms') Object.assign(usage, { used: 40, warning: true })
      await route.fulfill({ json: overview })
    })
    await page.goto('/leads')
    const warning = page.getByRole('status').filter({ hasText: '40 of 50 DMs used this month' })
    await warning.getByText(limitText).waitFor()
    expect(await warning.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/billing')

    await page.route('**/api/leads/queue', (route) => refuse(route, 403, 'PLAN_LIMIT', limitText))
    await page.getByRole('button', { name: 'Send DM to @grace_hopper' }).click()
    await page.getByRole('button', { name: 'Queue DM' }).click()
    const toast = page.locator('.Toastify__toast').filter({ hasText: `Failed to queue DM: ${limitText}` })
    await toast.getByRole('button', { name: 'See plans' }).click()
    await page.getByRole('heading', { name: 'Billing & Subscription' }).waitFor()
    await page.getByText('40 of 50', { exact: true }).waitFor()
    await page.getByText(limitText, { exact: true }).waitFor()
  })

  it('lists the rewards of a referrer, and the support of the plan', async () => {
    const { page, account } = await openBilling('hedy@example.com')
    await page.getByText('Support by email, without a promised answer time.').waitFor()
    expect(await page.getByRole('heading', { name: 'Your rewards' }).count()).toBe(0)
    const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' }
    const { referralCode } = (await (await fetch(`${world.origin}/api/dashboard`, { headers })).json()) as {
      referralCode: string
    }
    for (let friend = 1; friend <= 10; friend += 1) {
      const body = JSON.stringify({ email: `friend-${friend}-of-hedy@example.com`, referralCode })
      await fetch(`${world.origin}/api/waitlist/join`, { method: 'POST', headers, body })
    }
    await page.reload()
    const rewards = page.locator('section', { has: page.getByRole('heading', { name: 'Your rewards' }) })
    await rewards.getByText("Pro's monthly allowance for our AI model.").waitFor()
    await rewards.getByText('The first ones come with the next release.').waitFor()
    // Nobody has confirmed yet, so costly rewards wait.
    await rewards.getByText('0 of 10 confirmed').waitFor()
    expect(await rewards.getByRole('link').count()).toBe(0)
    await expectSoundPage(page)
    await page.getByRole('button', { name: 'Help' }).click()
    const support = page.getByRole('menuitem', { name: /^Contact support/ })
    await support.getByText('Support by email, without a promised answer time.').waitFor()
    expect(await support.getAttribute('href')).toMatch(/^mailto:\S+@/)
  })
})
